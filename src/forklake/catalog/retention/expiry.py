"""Snapshot expiry: ends time travel to snapshots, and releases what only they showed."""

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.lakes.retry import with_retries
from forklake.catalog.reading.history import own_snapshots
from forklake.catalog.retention.collect import collect_garbage
from forklake.catalog.transaction.options import effective_option
from forklake.catalog.transaction.transaction import begin, read_newest
from forklake.errors import InvalidInput, NoSuchCatalog, NoSuchSnapshot
from forklake.model.ids import SnapshotId
from forklake.model.options import parse_interval
from forklake.model.snapshots import Snapshot
from forklake.store.catalog_writes import lock_live_catalog
from forklake.store.clock import database_time
from forklake.store.expiry import delete_snapshots, snapshots_made_by

Age = datetime | timedelta
"""A point in time, or a duration before now."""


class LocalClockTime(datetime):
    """A time computed from the local clock, and so in fact a duration before now."""


def expire_snapshots(
    catalog: Catalog,
    *,
    versions: Collection[int] | None = None,
    older_than: Age | None = None,
    dry_run: bool = False,
) -> list[Snapshot]:
    """Expire snapshots made by the catalog itself, by number or age, but never the newest; returns them.

    Without numbers and age, the option `expire_older_than` applies; if it is unset, nothing expires. What forks see of
    them is retained: a fork keeps the state at its fork point as long as it exists. What only former forks retained is
    released in any case.
    """
    if versions is not None and older_than is not None:
        raise InvalidInput(
            "ducklake_expire_snapshots: cannot specify both 'versions' and 'older_than' parameters at the same time."
            " Please use only one criterion."
        )
    before = cutoff_time(catalog, older_than)
    if before is not None and before.tzinfo is None:
        raise InvalidInput(f"The time {before} has no time zone; give one, such as UTC.")
    if versions is None and before is None:
        before = cutoff_from_option(catalog, "expire_older_than")
    if not dry_run:
        catalog.check_writable()
    chosen = _snapshots_to_expire(catalog, versions, before)
    if dry_run:
        return chosen
    ids = [snapshot.snapshot_id for snapshot in chosen]
    if ids:
        with_retries(catalog.lake, lambda: _expire(catalog, ids), landed=lambda: None)
    collect_garbage(catalog.lake, catalog.catalog_id, catalog.path)
    kept = {snapshot.snapshot_id for snapshot in own_snapshots(catalog)} if ids else set()
    return [snapshot for snapshot in chosen if snapshot.snapshot_id not in kept]


def cutoff_from_option(catalog: Catalog, option: str) -> datetime | None:
    """The cutoff time for an age given by an option of the catalog; None if the option is unset."""
    interval = read_newest(lambda: begin(catalog), lambda tx: effective_option(tx, option))
    return None if interval is None else cutoff_time(catalog, parse_interval(interval))


def cutoff_time(catalog: Catalog, age: Age | None) -> datetime | None:
    """The cutoff time, by the clock that is behind: that of this machine or that of the database.

    A negative age is rejected: it would be a time in the future, before which everything would expire.
    """
    if isinstance(age, timedelta) and age < timedelta():
        raise InvalidInput(f"The age {age} is negative; give the time that must have passed, such as 7 days.")
    if isinstance(age, LocalClockTime):
        age = datetime.now(UTC) - age
    if not isinstance(age, timedelta):
        return age
    try:
        # Snapshots and scheduled files have timestamps of the database, other files those of file systems. Whichever
        # clock is ahead, nothing must be considered older than it is.
        return min(datetime.now(UTC), database_time(catalog.lake.store)) - age
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def _snapshots_to_expire(
    catalog: Catalog, versions: Collection[int] | None, older_than: datetime | None
) -> list[Snapshot]:
    if versions is None and older_than is None:
        return []
    # A dry run on an attachment in the past reports what would expire now, not what is visible there.
    known = own_snapshots(replace(catalog, pinned=None))
    # The newest one never expires.
    own = known[:-1]
    if versions is None:
        return [snapshot for snapshot in own if older_than is not None and snapshot.snapshot_time < older_than]
    wanted = set(versions)
    inherited = snapshots_made_by(catalog.lake.store, catalog.lineage.ancestors, wanted)
    if inherited:
        raise InvalidInput(
            f"Snapshot {inherited[0]} was made by an ancestor of catalog '{catalog.name}', and can expire only there."
        )
    unknown = wanted.difference(snapshot.snapshot_id for snapshot in known)
    if unknown:
        raise NoSuchSnapshot(f"Catalog '{catalog.name}' has no snapshot {min(unknown)}; nothing has expired.")
    return [snapshot for snapshot in own if snapshot.snapshot_id in wanted]


def _expire(catalog: Catalog, ids: list[SnapshotId]) -> bool:
    """Delete the snapshots that still exist."""
    store = catalog.lake.store
    with store.writing([lock_live_catalog(store.dialect, catalog.catalog_id)]) as (transaction, [locked]):
        if not locked:
            raise NoSuchCatalog(f"Catalog '{catalog.name}' was dropped.")
        transaction.commit([delete_snapshots(store.dialect, catalog.catalog_id, ids)])
    return True
