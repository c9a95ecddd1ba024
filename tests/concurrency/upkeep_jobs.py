"""Writing, forking, expiring and cleaning up a lake of real files, each in a process of its own."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import sleep
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.catalog.lakes.catalogs import drop_catalog, find_catalog, list_catalogs
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import CommitConflict, NoSuchCatalog, NoSuchSnapshot, NoSuchTable
from forklake.maintenance.cleanup.old_files import cleanup_dropped_catalogs, cleanup_old_files
from forklake.model.entities import Table
from forklake.model.files import DataFile, NewDataFile, ScanFile
from forklake.model.ids import DataFileId, TableId
from forklake.spark.storage.data_path_mark import claim_data_path
from forklake.spark.work import storage_of

NOW = datetime(2100, 1, 1, tzinfo=UTC)


def write_rows(lake: Lake, name: str, times: int) -> int:
    """Add a file, and every third time end an old one; the number of commits that landed."""
    catalog, landed = find_catalog(lake, name), 0
    for turn in range(times):
        try:
            tx = begin(catalog)
            table = get_table(tx, "main", "t")
            tx.append_files(table, [new_file(tx, table)])
            if turn % 3 == 2:
                tx.end_files(table, random.choices(tx.files(TableId(table.object_id)), k=1))
            landed += commit(tx) is not None
        except (CommitConflict, NoSuchSnapshot):
            continue
    return landed


def new_file(tx: Transaction, table: Table) -> NewDataFile:
    """A file on disk that says which it is."""
    claim_data_path(tx.catalog.lake, storage_of(tx.catalog.lake))
    [file_id] = tx.new_ids("file")
    path = f"{tx.catalog.path}/{table.path}ducklake-{uuid4()}.parquet"
    full = Path(tx.catalog.lake.data_path or "") / path
    full.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"id": [file_id] * 10}), full)
    return NewDataFile(DataFile(DataFileId(file_id), path, 10, full.stat().st_size))


def fork_and_read(lake: Lake, parent: str, prefix: str, times: int) -> list[str]:
    """Fork again and again, now or in the past, write to the forks and drop some; those that are left."""
    made: list[str] = []
    for turn in range(times):
        source = random.choice([parent, *made])
        history = list_snapshots(find_catalog(lake, source))
        version = random.choice(history).snapshot_id if turn % 2 else None
        try:
            fork, _ = fork_catalog(lake, source, f"{prefix}{turn}", version=version)
        except NoSuchSnapshot:
            continue  # it has expired meanwhile
        try:
            check_head(fork)
        except NoSuchTable:
            drop_catalog(lake, fork.name)  # it is from before the table
            continue
        made.append(fork.name)
        write_rows(lake, fork.name, 3)
        if len(made) > 3:
            drop_catalog(lake, made.pop(random.randrange(len(made))))
    return made


def expire_and_clean(lake: Lake, times: int) -> int:
    """Expire and clean up whichever catalogs there are, at once and without a grace; the files that are gone."""
    storage, gone = storage_of(lake), 0
    for _ in range(times):
        for name in [info.name for info in list_catalogs(lake)]:
            try:
                catalog = find_catalog(lake, name)
                history = [
                    found.snapshot_id for found in list_snapshots(catalog) if found.catalog_id == catalog.catalog_id
                ]
                expire_snapshots(catalog, versions=random.sample(history, len(history) // 2))
                gone += len(cleanup_old_files(catalog, storage, cleanup_all=True))
            except (NoSuchCatalog, NoSuchSnapshot):
                continue  # it was dropped meanwhile, or somebody else was faster
        gone += len(cleanup_dropped_catalogs(find_catalog(lake, "main"), storage, cleanup_all=True))
        sleep(random.uniform(0, 0.02))
    return gone


def check_head(catalog: Catalog) -> int:
    """Read every file of the newest snapshot; how many there are."""
    tx = begin(catalog)
    table = get_table(tx, "main", "t")
    return sum(1 for _ in read_files(catalog.lake, tx.files(TableId(table.object_id))))


def read_files(lake: Lake, files: list[ScanFile]) -> Iterator[None]:
    for file in files:
        found = pq.read_table(Path(lake.data_path or "") / file.data.path, partitioning=None)
        assert found["id"].to_pylist() == [file.data.data_file_id] * 10
        yield
