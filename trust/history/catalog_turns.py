"""What a process does to whole catalogs: fork, drop, expire, clean up."""

from collections.abc import Collection

from forklake.catalog.lakes.catalogs import drop_catalog, list_catalogs
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.reading.history import last_snapshots, own_snapshots
from forklake.catalog.retention.dropped import collect_dropped, dropped_catalogs, forget_dropped
from forklake.catalog.retention.due_files import delete_due
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.transaction.transaction import begin
from forklake.errors import NoSuchCatalog, NoSuchSnapshot
from forklake.model.files import ScheduledFile
from forklake.model.ids import CatalogId
from forklake.model.snapshots import CatalogInfo
from trust.history.desk import Desk
from trust.history.look import kept_snapshots, token_of
from trust.history.records import Ended, Listed, Met, Planned, Removed, now

_HISTORY = 30
_KEPT = 20
"""Snapshots that are too young to expire: somebody may be reading them."""
_DROPPED_AT_ONCE = 3


def fork(desk: Desk, tx: str, name: str) -> Ended:
    """Fork at the head or in the past, and look at what the fork shows."""
    parent, version = desk.find(name), None
    if desk.rng.random() < 0.5:
        version = desk.rng.choice(last_snapshots(parent, _HISTORY)).snapshot_id
    fork_name = f"f{tx}"
    desk.pen.write(Planned(tx, now(), "fork", parent.catalog_id, fork_name=fork_name, version=version))
    with desk.committing():
        made, _ = fork_catalog(desk.lake, name, fork_name, version=version)
    ended = Ended(tx, now(), "ok", catalog=made.catalog_id)
    desk.pen.write(ended)
    desk.known[fork_name] = made
    try:
        desk.meet(made)
        desk.look(tx, begin(made))
    except (NoSuchCatalog, NoSuchSnapshot):
        # The fork was made all the same, if somebody has dropped it since.
        if fork_name in {info.name for info in list_catalogs(desk.lake)}:
            raise
    return ended


def drop(desk: Desk, tx: str, name: str) -> Ended:
    catalog = desk.find(name)
    # What no fork sees is forgotten at once.
    desk.pen.write(Listed(now(), catalog.catalog_id, kept_snapshots(desk.lake.store, catalog.catalog_id)))
    desk.pen.write(Planned(tx, now(), "drop", catalog.catalog_id))
    with desk.committing():
        drop_catalog(desk.lake, name)
    return Ended(tx, now(), "ok")


def expire(desk: Desk, tx: str, name: str) -> Ended:
    """Half of what is not young; and files that nobody sees are deleted."""
    catalog = desk.find(name)
    old = own_snapshots(catalog)[:-_KEPT]
    chosen = [snapshot for snapshot in old if desk.rng.random() < 0.6]
    rows = [(found.snapshot_id, found.previous_snapshot_id, found.commit_message) for found in chosen]
    versions = [found.snapshot_id for found in chosen]
    desk.pen.write(Listed(now(), catalog.catalog_id, [(int(i), p, m) for i, p, m in rows]))
    desk.pen.write(Planned(tx, now(), "expire", catalog.catalog_id, versions=[int(v) for v in versions]))
    with desk.committing():
        expire_snapshots(catalog, versions=versions)
        _delete_due(desk, catalog.catalog_id)
    return Ended(tx, now(), "ok")


def collect(desk: Desk, tx: str, name: str) -> Ended:
    """What dropped catalogs have left, as far as nobody sees it."""
    desk.pen.write(Planned(tx, now(), "collect", 0))
    for info, _ in zip(dropped_catalogs(desk.lake), range(_DROPPED_AT_ONCE), strict=False):
        _note_dropped(desk, info)
        with desk.committing():
            collect_dropped(desk.lake, info)
            _delete_due(desk, info.catalog_id)
            forget_dropped(desk.lake, info)
    return Ended(tx, now(), "ok")


def _note_dropped(desk: Desk, info: CatalogInfo) -> None:
    """Nothing is committed to it any more: this is all there was and has not expired."""
    desk.pen.write(Met(now(), info.catalog_id, info.name, info.parent_id, info.fork_snapshot, info.begin_snapshot, []))
    desk.pen.write(Listed(now(), info.catalog_id, kept_snapshots(desk.lake.store, info.catalog_id)))


def _delete_due(desk: Desk, catalog_id: CatalogId) -> None:
    def remove(files: Collection[ScheduledFile]) -> Collection[ScheduledFile]:
        desk.pen.write(Removed(now(), [token_of(file.path) for file in files]))
        return files

    for _ in delete_due(desk.lake, catalog_id, None, remove):
        pass
