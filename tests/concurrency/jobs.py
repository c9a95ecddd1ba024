"""What one process does while others do the same, or something else."""

import random
from dataclasses import dataclass
from time import sleep

from forklake.catalog.lakes.catalogs import catalog_info, create_catalog, drop_catalog, find_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.view import CatalogView, view_at_head
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.options import set_option
from forklake.catalog.transaction.transaction import begin
from forklake.errors import AlreadyExists, CommitConflict, NoSuchCatalog
from forklake.model.files import NewDataFile
from forklake.model.ids import SnapshotId, TableId
from tests.lakes import append, inline_rows, new_files

Files = frozenset[tuple[int, int]]
"""Files with their live rows."""


def files_seen(view: CatalogView) -> Files:
    return frozenset(
        (scanned.data.data_file_id, scanned.live_rows)
        for entry in view.all_objects()
        if entry.kind == "table"
        for scanned in view.files(TableId(entry.object_id))
    )


def insert(lake: Lake, name: str, times: int) -> list[SnapshotId]:
    """Commit one file after the other; the snapshots."""
    catalog = find_catalog(lake, name)
    return [append(catalog) for _ in range(times)]


def insert_mixed(lake: Lake, name: str, times: int) -> list[SnapshotId]:
    """Commit files and inlined rows in turn, as far as the other writers allow."""
    catalog, landed = find_catalog(lake, name), list[SnapshotId]()
    while len(landed) < times:
        tx = begin(catalog)
        table = get_table(tx, "main", "t")
        if len(landed) % 2:
            inline_rows(tx, table, 3)
        else:
            tx.append_files(table, new_files(tx, 1, low=len(landed)))
        try:
            snapshot_id = commit(tx)
        except CommitConflict:
            continue
        assert snapshot_id is not None
        landed.append(snapshot_id)
    return landed


def set_options(lake: Lake, name: str, times: int) -> list[SnapshotId]:
    """Set an option to other values."""
    catalog, landed = find_catalog(lake, name), list[SnapshotId]()
    for turn in range(times):
        _breathe()
        tx = begin(catalog)
        set_option(tx, "target_file_size", 1_000_000 + turn)
        snapshot_id = commit(tx)
        assert snapshot_id is not None
        landed.append(snapshot_id)
    return landed


def replace_files(lake: Lake, name: str, times: int) -> list[SnapshotId]:
    """End all files and add one, each time; a writer alone on its catalog never meets a conflict."""
    return [_replace(find_catalog(lake, name)) for _ in range(times)]


def count_up(lake: Lake, name: str, times: int) -> int:
    """Replace the one file by one with a row more, so often; the number of conflicts on the way."""
    catalog, conflicts = find_catalog(lake, name), 0
    for _ in range(times):
        while True:
            try:
                _replace(catalog, more_rows=1)
                break
            except CommitConflict:
                conflicts += 1
    return conflicts


def insert_and_replace(lake: Lake, name: str, times: int) -> list[SnapshotId]:
    """Whatever of both the other writers allow."""
    catalog = find_catalog(lake, name)
    landed = []
    for turn in range(times):
        _breathe()
        try:
            landed.append(_replace(catalog) if turn % 5 == 4 else append(catalog))
        except CommitConflict:
            continue
    return landed


@dataclass(frozen=True, slots=True)
class Fork:
    """A fork as it was right after it was made; `written` was added to it then."""

    name: str
    parent: str
    horizon: int
    files: Files
    written: Files


def fork_and_write(lake: Lake, parent: str, prefix: str, times: int) -> list[Fork]:
    """Fork a catalog that others write to, and every other time the fork before; write to the fork."""
    made: list[Fork] = []
    for turn in range(times):
        _breathe()
        source = made[-1].name if turn % 2 and made else parent
        fork, created = fork_catalog(lake, source, f"{prefix}_{turn}")
        assert created
        horizon = catalog_info(fork).fork_snapshot
        assert horizon is not None
        before = files_seen(view_at_head(fork))
        append(fork)
        made.append(Fork(fork.name, source, horizon, before, files_seen(view_at_head(fork)) - before))
    return made


def create_each(lake: Lake, names: list[str], if_not_exists: bool) -> list[int | None]:
    """Try to create all of them; the ids, and None for those that somebody else has created."""
    ids: list[int | None] = []
    for name in names:
        try:
            ids.append(create_catalog(lake, name, if_not_exists=if_not_exists).catalog_id)
        except AlreadyExists:
            ids.append(None)
    return ids


def fork_each(lake: Lake, parent: str, names: list[str], if_not_exists: bool) -> list[tuple[int, bool] | None]:
    """Try to make all of these forks; id and whether it was me, and None for those that were refused."""
    made: list[tuple[int, bool] | None] = []
    for name in names:
        try:
            fork, created = fork_catalog(lake, parent, name, if_not_exists=if_not_exists)
            made.append((fork.catalog_id, created))
        except AlreadyExists:
            made.append(None)
    return made


def fork_victims(lake: Lake, victims: list[str], suffix: str) -> list[str]:
    """Fork catalogs that somebody drops at the same time; the forks that were made."""
    made = []
    for victim in victims:
        try:
            made.append(fork_catalog(lake, victim, f"{victim}{suffix}")[0].name)
        except NoSuchCatalog:
            continue
    return made


def drop_victims(lake: Lake, victims: list[str], suffix: str) -> list[str]:
    """Drop catalogs, of which others may have dropped some; those that were dropped here."""
    dropped = []
    for victim in victims:
        try:
            drop_catalog(lake, victim)
            dropped.append(victim)
        except NoSuchCatalog:
            continue
    return dropped


def _breathe() -> None:
    """Let others in: SQLite hands its turn to whoever asks at the right moment."""
    sleep(random.uniform(0, 0.02))


def _replace(catalog: Catalog, more_rows: int = 0) -> SnapshotId:
    tx = begin(catalog)
    table = get_table(tx, "main", "t")
    old = tx.files(TableId(table.object_id))
    [new] = new_files(tx, 1)
    rows = sum(scanned.live_rows for scanned in old) + more_rows if more_rows else new.file.record_count
    tx.end_files(table, old)
    tx.append_files(table, [NewDataFile(new.file._replace(record_count=rows), new.column_stats)])
    snapshot_id = commit(tx)
    assert snapshot_id is not None
    return snapshot_id
