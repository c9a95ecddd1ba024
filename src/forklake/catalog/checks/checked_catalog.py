"""What a check looks at: a catalog up to its newest snapshot, and those of its snapshots that are kept."""

from collections.abc import Callable
from dataclasses import dataclass

from forklake.catalog.lakes.lake import Catalog
from forklake.errors import NoSuchCatalog
from forklake.model.ids import SnapshotId
from forklake.model.lineage import Scope
from forklake.model.periods import KeptSnapshots
from forklake.store.catalog_checks import CatalogState, catalog_state, kept_snapshot_ids
from forklake.store.connection import Store

ShownPath = Callable[[str, bool], str]
"""How a path is told, given as the metadata have it, with whether it is relative."""


@dataclass(frozen=True, slots=True)
class CheckContext:
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
        return _kept_snapshots(self.catalog, self.scope, current_state(self.catalog))


def make_check_context(catalog: Catalog, shown: ShownPath = lambda path, is_relative: path) -> CheckContext:
    """A look at a catalog as it is now, wherever it was attached."""
    state = current_state(catalog)
    scope = catalog.lineage.at(state.head_snapshot, catalog.catalog_id)
    return CheckContext(catalog, scope, _kept_snapshots(catalog, scope, state), shown)


def current_state(catalog: Catalog) -> CatalogState:
    state = catalog_state(catalog.lake.store, catalog.catalog_id)
    if state is None:
        raise NoSuchCatalog(f"Catalog '{catalog.name}' was dropped.")
    return state


def _kept_snapshots(catalog: Catalog, scope: Scope, state: CatalogState) -> KeptSnapshots:
    ids: list[SnapshotId] = kept_snapshot_ids(catalog.lake.store, scope)
    # The head is read whether or not there is a row of it.
    return KeptSnapshots([*ids, *([state.head_snapshot] if state.head_snapshot == scope.snapshot_id else [])])
