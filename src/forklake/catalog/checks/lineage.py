"""Checks of the ancestors and the history of a catalog."""

from collections.abc import Iterator
from itertools import pairwise

from forklake.catalog.checks.checked_catalog import CheckContext, current_state
from forklake.errors import CorruptMetadata
from forklake.model.changes import parse_changes
from forklake.model.findings import Finding
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import NO_LIMIT
from forklake.model.names import is_own_folder
from forklake.store.catalog_checks import (
    Ancestor,
    SnapshotRow,
    lineage_rows,
    read_id_usage,
    rows_beyond_head,
    scheduled_in_use,
    snapshots_in_scope,
)


def check_lineage(look: CheckContext) -> Iterator[Finding]:
    """Check ancestors, snapshots, ids in use, and rows of missing snapshots."""
    chain = lineage_rows(look.store, look.catalog.catalog_id)
    yield from _check_chain(look, chain)
    yield from _check_head(look)
    yield from _check_snapshots(look, chain)
    ids = read_id_usage(look.store, look.catalog.catalog_id)
    for sequence, used in ids.used.items():
        if used > ids.drawn[sequence]:
            detail = f"The {sequence} id {used} is in use, but the next one to be drawn is {ids.drawn[sequence] + 1}."
            yield Finding("broken_sequence", detail=detail)
    for table, count in rows_beyond_head(look.store, look.catalog.catalog_id):
        detail = f"{count} rows of {table} begin or end after the newest snapshot of the catalog."
        yield Finding("bad_period", snapshot_id=look.scope.snapshot_id, detail=detail)
    for path, is_relative in scheduled_in_use(look.store, look.catalog.catalog_id):
        detail = "The file waits for its deletion, and a catalog names it."
        yield Finding("scheduled_in_use", path=look.shown(path, is_relative), detail=detail)


def _broken_lineage(detail: str, snapshot_id: SnapshotId | None = None) -> Finding:
    return Finding("broken_lineage", snapshot_id=snapshot_id, detail=detail)


def _check_chain(look: CheckContext, chain: list[Ancestor]) -> Iterator[Finding]:
    """Each ancestor, from the catalog itself upwards, must exist, and be visible no further than the one below it."""
    catalog_id = look.catalog.catalog_id
    if [level.depth for level in chain] != list(range(len(chain))):
        yield _broken_lineage(f"The depths of the lineage are {[level.depth for level in chain]}.")
    if not chain or chain[0].catalog_id != catalog_id or chain[0].max_snapshot != NO_LIMIT:
        yield _broken_lineage("The lineage does not begin with the catalog itself.")
        return
    if len({level.catalog_id for level in chain}) < len(chain):
        yield _broken_lineage("A catalog is its own ancestor.")
    if (len(chain) == 1) != (chain[0].parent_id is None):
        yield _broken_lineage(f"Its parent is {chain[0].parent_id}, and it has {len(chain) - 1} ancestors.")
    limit = NO_LIMIT
    for below, level in pairwise(chain):
        # Limited by where the catalog below was forked, and by how far that catalog is visible.
        limit = min(limit, below.max_snapshot, NO_LIMIT if below.fork_snapshot is None else below.fork_snapshot)
        which = f"ancestor {level.catalog_id}"
        if level.found is None:
            yield _broken_lineage(f"There is no {which}.")
            return
        if level.max_snapshot > level.head_snapshot:
            yield _broken_lineage(
                f"The horizon {level.max_snapshot} of {which} is above its head {level.head_snapshot}."
            )
        # A catalog that had nothing to hand on is omitted from the lineage; its ancestors may be visible less far.
        if level.max_snapshot > limit or (level.catalog_id == below.parent_id and level.max_snapshot < limit):
            yield _broken_lineage(f"The horizon of {which} is {level.max_snapshot}, and {limit} below it.")


def _check_head(look: CheckContext) -> Iterator[Finding]:
    state = current_state(look.catalog)
    head = state.head_snapshot
    if not is_own_folder(look.catalog.path):
        yield _broken_lineage(f"Its folder {look.catalog.path!r} is not its own.")
    if state.recorded_time is None:
        yield _broken_lineage("There is no snapshot row of the head.", head)
    elif state.recorded_time != state.head_time or state.recorded_version != state.schema_version:
        yield _broken_lineage("The time or the schema version of the head is not that of its snapshot.", head)
    if state.newest_snapshot is not None and state.newest_snapshot > head:
        yield _broken_lineage(f"Snapshot {state.newest_snapshot} is above the head.", state.newest_snapshot)
    expected = 0 if state.parent_depth is None else state.parent_depth + 1
    if state.depth != expected:
        yield _broken_lineage(f"The depth is {state.depth}, which should be {expected}, or its parent does not exist.")


def _check_snapshots(look: CheckContext, chain: list[Ancestor]) -> Iterator[Finding]:
    catalogs = {level.catalog_id: level for level in chain if level.found is not None}
    newest: dict[CatalogId, SnapshotId] = {}
    before: SnapshotRow | None = None
    for snapshot in snapshots_in_scope(look.store, look.scope):
        if before is not None and snapshot.time <= before.time:
            yield _broken_lineage(f"It is not later than snapshot {before.snapshot_id}.", snapshot.snapshot_id)
        if before is not None and snapshot.schema_version < before.schema_version:
            yield _broken_lineage(f"Its schema version is below that of {before.snapshot_id}.", snapshot.snapshot_id)
        owner = catalogs.get(snapshot.catalog_id)
        if owner is not None and (wrong := _wrong_link(snapshot, owner, newest.get(owner.catalog_id))):
            yield _broken_lineage(wrong, snapshot.snapshot_id)
        newest[snapshot.catalog_id] = snapshot.snapshot_id
        before = snapshot
        try:
            parse_changes(snapshot.changes or "")
        except CorruptMetadata as error:
            yield Finding("unreadable", snapshot_id=snapshot.snapshot_id, detail=str(error))


def _wrong_link(snapshot: SnapshotRow, owner: Ancestor, kept: SnapshotId | None) -> str | None:
    """What is wrong with the predecessor of a snapshot, given the newest kept one before it.

    It must be that one, or an expired one after it; for the first snapshot, the fork point of the catalog.
    """
    previous = snapshot.previous
    if snapshot.snapshot_id < owner.begin_snapshot:
        return f"It is older than its catalog, which begins with {owner.begin_snapshot}."
    if snapshot.snapshot_id == owner.begin_snapshot:
        expected = owner.fork_snapshot
        return None if previous == expected else f"Its predecessor is {previous}, which should be {expected}."
    least = owner.begin_snapshot if kept is None else kept
    if previous is None or not least <= previous < snapshot.snapshot_id:
        return f"Its predecessor is {previous}, and there is snapshot {least} between them."
    return None
