"""Every row of every snapshot that a lake has kept, read from the real files without Spark."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyarrow import fs

from forklake.catalog.lakes.catalogs import find_catalog, list_catalogs
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.planning.scan_planning import ScanPlan, plan_scan
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.transaction.names import list_tables
from forklake.catalog.transaction.transaction import begin
from forklake.model.files import ScanFile
from forklake.model.ids import SnapshotId
from forklake.spark.reading.inlined import inlined_rows
from forklake.spark.tasks.files.delete_files import read_positions
from forklake.spark.tasks.types.reserved_columns import ROW_ID, SNAPSHOT_ID

Rows = frozenset[tuple[int, int, Any]]
"""Row id, snapshot that the row is from, and the values of the row."""
Tables = dict[str, Rows]


@dataclass(slots=True)
class Reader:
    """Reads tables as a catalog had them. What is in a file is read once; that the file is there, every time."""

    lake: Lake
    data: Path
    _contents: dict[str, list[tuple[int | None, int | None, Any]]] = field(default_factory=dict)

    def everything(self) -> dict[str, dict[int, Tables]]:
        """By live catalog and snapshot."""
        names = [info.name for info in list_catalogs(self.lake)]
        return {name: self.history(find_catalog(self.lake, name)) for name in names}

    def history(self, catalog: Catalog) -> dict[int, Tables]:
        return {found.snapshot_id: self.tables(catalog, found.snapshot_id) for found in list_snapshots(catalog)}

    def tables(self, catalog: Catalog, snapshot_id: int) -> Tables:
        tx = begin(replace(catalog, pinned=SnapshotId(snapshot_id)))
        assert tx.base == snapshot_id
        return {table.name: self._rows(plan_scan(tx, table)) for table in list_tables(tx, "main")}

    def _rows(self, plan: ScanPlan) -> Rows:
        rows = [row for file in plan.files for row in self._file(file, plan.snapshot_id)]
        inlined = inlined_rows(plan, [ROW_ID, SNAPSHOT_ID]).to_pylist() if plan.batches else []
        rows += [(row[-2], row[-1], row[:-2]) for row in (tuple(found.values()) for found in inlined)]
        found = frozenset(rows)
        assert len(found) == len(rows), "a row is there twice"
        return found

    def _file(self, file: ScanFile, snapshot_id: int) -> list[tuple[int, int, Any]]:
        path = self.data / file.data.path
        assert path.stat().st_size == file.data.file_size_bytes
        gone: set[int] = set()
        if file.delete is not None:
            deletes = self.data / file.delete.path
            assert deletes.stat().st_size == file.delete.file_size_bytes
            gone = set(read_positions(fs.LocalFileSystem(), str(deletes), snapshot_id).tolist())
        content = self._contents.setdefault(file.data.path, [])
        if not content:
            content += _content(path)
        start = file.data.row_id_start or 0
        return [
            (
                start + position if row_id is None else row_id,
                file.data.begin_snapshot if since is None else since,
                values,
            )
            for position, (row_id, since, values) in enumerate(content)
            if position not in gone and (since is None or since <= snapshot_id)
        ]


def _content(path: Path) -> list[tuple[int | None, int | None, Any]]:
    table = pq.ParquetFile(path).read()
    reserved = [name for name in table.column_names if name in (ROW_ID, SNAPSHOT_ID)]
    own = table.drop_columns(reserved)
    columns = [column.to_pylist() for column in own.columns]
    values = list(zip(*columns, strict=True))
    row_ids = table[ROW_ID].to_pylist() if ROW_ID in reserved else [None] * len(values)
    since = table[SNAPSHOT_ID].to_pylist() if SNAPSHOT_ID in reserved else [None] * len(values)
    return list(zip(row_ids, since, values, strict=True))


def parquet_files(data: Path) -> set[str]:
    """Every Parquet file below the data path."""
    return {str(path.relative_to(data)) for path in data.rglob("*.parquet") if path.is_file()}


def named_files(lake: Lake) -> set[str]:
    """Every file that any catalog names as its data or deletes."""
    tables = ("lake_data_file", "lake_delete_file")
    return {path for table in tables for (path,) in lake.store.fetch(f"SELECT path FROM {table}", {})}
