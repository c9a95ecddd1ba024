"""The subject of a check: a catalog up to its newest snapshot, and its kept snapshots."""

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
"""Formats a path for output, given as stored in the metadata, with whether it is relative."""


@dataclass(frozen=True, slots=True)
class CheckContext:
    """The state to check. Later commits are ignored, and so are snapshots that expire during the check."""

    catalog: Catalog
    scope: Scope
    kept: KeptSnapshots
    shown: ShownPath

    @property
    def store(self) -> Store:
        return self.catalog.lake.store

    def kept_now(self) -> KeptSnapshots:
        """The snapshots that are still kept.

        Rows read before are complete if one of these snapshots shows them: expiry deletes a snapshot before the rows
        that only it shows.
        """
        return _kept_snapshots(self.catalog, self.scope, current_state(self.catalog))


def make_check_context(catalog: Catalog, shown: ShownPath = lambda path, is_relative: path) -> CheckContext:
    """The context to check the current state of a catalog, regardless of the snapshot at which it is attached."""
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
    # The head is included whether or not its row exists.
    return KeptSnapshots([*ids, *([state.head_snapshot] if state.head_snapshot == scope.snapshot_id else [])])
