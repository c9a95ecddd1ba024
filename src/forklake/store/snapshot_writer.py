"""The rows of a new snapshot of a catalog: those that begin and those that end with it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from forklake.model.entities import Definition, LakeObject
from forklake.model.files import DataFile, DeleteFile, InlinedBatch, TableStats
from forklake.model.ids import BatchId, CatalogId, MappingId, SnapshotId, TableId
from forklake.model.pruning import KeyedStats
from forklake.model.snapshots import CommitInfo
from forklake.store.catalog_rows import SnapshotRecord
from forklake.store.connection import Row, RowsToInsert, Statement
from forklake.store.dialect import StoreDialect
from forklake.store.file_rows import batch_row, data_file_row, delete_file_row, stats_row, table_stats_row
from forklake.store.objects import object_row
from forklake.store.options import OptionRow
from forklake.store.row_kinds import RowKind

SNAPSHOT_COLUMNS: Mapping[str, Sequence[int]] = {
    "lake_object": [2],
    "lake_row_end": [5],
    "lake_data_file": [3, 16],
    "lake_delete_file": [3],
    "lake_table_stats": [2],
    "lake_inlined_batch": [3, 5],
    "lake_inlined_delete": [4],
    "lake_column_mapping": [3],
    "lake_option": [2],
}
"""Positions of the snapshot id in new rows: UNCOMMITTED is replaced there as soon as the id is allocated."""


class SnapshotWriter:
    """Collects the steps to write a snapshot; nothing is sent until `steps` are executed.

    A row of the catalog itself is ended by an update; an inherited row belongs to an ancestor and is ended by an end
    marker.
    """

    def __init__(self, dialect: StoreDialect, catalog_id: CatalogId, snapshot_id: SnapshotId) -> None:
        self.catalog_id = catalog_id
        self.snapshot_id = snapshot_id
        self._dialect = dialect
        self._rows: dict[str, list[Row]] = {}
        self._updates: list[Statement] = []

    def steps(self) -> list[Statement | RowsToInsert]:
        """Updates first: a name must be released before it is reused."""
        return [*self._updates, *(RowsToInsert(table, rows) for table, rows in self._rows.items() if rows)]

    def rows(self) -> list[RowsToInsert] | None:
        """The rows to insert; None if there are also updates."""
        return None if self._updates else [RowsToInsert(table, rows) for table, rows in self._rows.items() if rows]

    def add_object(self, entry: LakeObject[Definition]) -> None:
        self._add("lake_object", [object_row(entry)])

    def end_object(self, entry: LakeObject[Definition]) -> None:
        if entry.owner != self.catalog_id:
            self._mark_ended(RowKind.OBJECT, 0, [(entry.object_id, entry.begin_snapshot)])
            return
        version = {"object_id": entry.object_id, "begin_snapshot": entry.begin_snapshot}
        self._end_own("lake_object", "object_id = :object_id AND begin_snapshot = :begin_snapshot", version)

    def end_contents(self, table_id: TableId) -> None:
        """Ends everything in a dropped table, with a single row."""
        self._mark_ended(RowKind.TABLE_CONTENTS, table_id, [(0, SnapshotId(0))])

    def add_data_file(
        self, table_id: TableId, file: DataFile, column_stats: Iterable[KeyedStats], partition: Sequence[str | None]
    ) -> None:
        """Adds a file, with a statistics row for every column, known or not: files without one would need a search."""
        key = (self.catalog_id, table_id)
        self._add("lake_data_file", [data_file_row(key, file, self.snapshot_id)])
        self._add("lake_file_column_stats", (stats_row(key, file, *keyed) for keyed in column_stats))
        values = enumerate(partition)
        self._add("lake_file_partition_value", ((*key, file.data_file_id, i, value) for i, value in values))

    def add_delete_files(self, table_id: TableId, files: Iterable[DeleteFile]) -> None:
        key = (self.catalog_id, table_id)
        self._add("lake_delete_file", (delete_file_row(key, file, self.snapshot_id) for file in files))

    def end_data_files(self, table_id: TableId, files: Collection[DataFile]) -> None:
        ended = [(file.owner, file.data_file_id, file.begin_snapshot) for file in files]
        self._end("lake_data_file", "data_file_id", RowKind.DATA_FILE, table_id, ended)

    def end_delete_files(self, table_id: TableId, files: Collection[DeleteFile]) -> None:
        ended = [(file.owner, file.delete_file_id, file.begin_snapshot) for file in files]
        self._end("lake_delete_file", "delete_file_id", RowKind.DELETE_FILE, table_id, ended)

    def add_batches(self, table_id: TableId, batches: Iterable[InlinedBatch]) -> None:
        key = (self.catalog_id, table_id)
        for batch in batches:
            self._add("lake_inlined_batch", [batch_row(key, batch, self.snapshot_id)])
            self.delete_inlined(table_id, ((batch.batch_id, position) for position in batch.deleted))

    def end_batches(self, table_id: TableId, batches: Collection[InlinedBatch]) -> None:
        ended = [(batch.owner, batch.batch_id, batch.begin_snapshot) for batch in batches]
        self._end("lake_inlined_batch", "batch_id", RowKind.INLINED_BATCH, table_id, ended)

    def delete_inlined(self, table_id: TableId, rows: Iterable[tuple[BatchId, int]]) -> None:
        key = (self.catalog_id, table_id)
        self._add("lake_inlined_delete", ((*key, batch_id, i, self.snapshot_id) for batch_id, i in sorted(rows)))

    def add_mappings(self, table_id: TableId, mappings: Mapping[MappingId, str]) -> None:
        key = (self.catalog_id, table_id)
        self._add("lake_column_mapping", ((*key, i, self.snapshot_id, document) for i, document in mappings.items()))

    def set_stats(self, table_id: TableId, stats: TableStats) -> None:
        self._add("lake_table_stats", [table_stats_row((self.catalog_id, table_id), self.snapshot_id, stats)])

    def add_option(self, option_id: int, scope: str, scope_id: int, key: str, value: str) -> None:
        self._add("lake_option", [(self.catalog_id, option_id, self.snapshot_id, None, scope, scope_id, key, value)])

    def end_option(self, option: OptionRow) -> None:
        if option.owner != self.catalog_id:
            self._mark_ended(RowKind.OPTION, 0, [(option.option_id, option.begin_snapshot)])
            return
        self._end_own("lake_option", "option_id = :option_id", {"option_id": option.option_id})

    def record(
        self,
        previous: SnapshotId,
        time: datetime,
        schema_version: int,
        changes: str | None,
        info: CommitInfo,
        token: str,
    ) -> None:
        """Adds the snapshot itself, and updates the head of the catalog."""
        stored = self._dialect.to_database_time(time)
        details = (info.author, info.message, info.extra_info, token)
        record = SnapshotRecord(self.catalog_id, self.snapshot_id, previous, stored, schema_version, changes, *details)
        self._add("lake_snapshot", [record])
        self._updates.append(
            Statement(
                "UPDATE lake_catalog SET head_snapshot = :head, head_time = :head_time,"
                " schema_version = :schema_version WHERE catalog_id = :catalog_id",
                {
                    "head": self.snapshot_id,
                    "head_time": stored,
                    "schema_version": schema_version,
                    "catalog_id": self.catalog_id,
                },
            )
        )

    def _add(self, table: str, rows: Iterable[Row]) -> None:
        self._rows.setdefault(table, []).extend(rows)

    def _end(
        self,
        table: str,
        id_column: str,
        kind: RowKind,
        table_id: TableId,
        rows: Iterable[tuple[CatalogId | None, int, SnapshotId]],
    ) -> None:
        """End rows of a table, given as owner, id and begin snapshot."""
        own, inherited = [], []
        for owner, row_id, begin in rows:
            if owner == self.catalog_id:
                own.append(row_id)
            else:
                inherited.append((row_id, begin))
        self._mark_ended(kind, table_id, inherited)
        if own:
            which = f"table_id = :table_id AND {self._dialect.any_of(id_column, 'ids')}"
            self._end_own(table, which, {"table_id": table_id, "ids": own})

    def _end_own(self, table: str, which: str, params: Mapping[str, object]) -> None:
        sql = (
            f"UPDATE {table} SET end_snapshot = :end_snapshot"
            f" WHERE catalog_id = :catalog_id AND {which} AND end_snapshot IS NULL"
        )
        mine = {"end_snapshot": self.snapshot_id, "catalog_id": self.catalog_id}
        self._updates.append(Statement(sql, {**mine, **params}))

    def _mark_ended(self, kind: RowKind, scope_id: int, ended: Iterable[tuple[int, SnapshotId]]) -> None:
        mine = (self.catalog_id, int(kind), scope_id)
        self._add("lake_row_end", ((*mine, row_id, begin, self.snapshot_id) for row_id, begin in ended))
