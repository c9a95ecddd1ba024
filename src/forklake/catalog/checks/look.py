"""What a check looks at: a catalog up to its newest snapshot, and those of its snapshots that are kept."""

from collections.abc import Callable
from dataclasses import dataclass

from forklake.catalog.lake import Catalog
from forklake.errors import NoSuchCatalog
from forklake.model.ids import SnapshotId
from forklake.model.lineage import Scope
from forklake.model.periods import KeptSnapshots
from forklake.store.catalog_checks import CatalogState, catalog_state, kept_ids
from forklake.store.connection import Store

ShownPath = Callable[[str, bool], str]
"""How a path is told, given as the metadata have it, with whether it is relative."""


@dataclass(frozen=True, slots=True)
class Look:
    """Commits that come later are not looked at; snapshots that expire meanwhile are no longer."""

    catalog: Catalog
    scope: Scope
    kept: KeptSnapshots
    shown: ShownPath

    @property
    def store(self) -> Store:
        return self.catalog.lake.store

    def kept_now(self) -> KeptSnapshots:
        """The snapshots that are still there. Rows that were read before and that one of them shows are complete:
        expiry removes a snapshot before the rows that only it shows."""
        return _kept(self.catalog, self.scope, state_of(self.catalog))


def look_at(catalog: Catalog, shown: ShownPath = lambda path, is_relative: path) -> Look:
    """A look at a catalog as it is now, wherever it was attached."""
    state = state_of(catalog)
    scope = catalog.lineage.at(state.head_snapshot, catalog.catalog_id)
    return Look(catalog, scope, _kept(catalog, scope, state), shown)


def state_of(catalog: Catalog) -> CatalogState:
    state = catalog_state(catalog.lake.store, catalog.catalog_id)
    if state is None:
        raise NoSuchCatalog(f"Catalog '{catalog.name}' was dropped.")
    return state


def _kept(catalog: Catalog, scope: Scope, state: CatalogState) -> KeptSnapshots:
    ids: list[SnapshotId] = kept_ids(catalog.lake.store, scope)
    # The head is read whether or not there is a row of it.
    return KeptSnapshots([*ids, *([state.head_snapshot] if state.head_snapshot == scope.snapshot_id else [])])
