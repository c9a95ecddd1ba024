"""The rows that a commit writes: staged changes in, steps for the store out. Nothing here talks to the database."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from forklake.catalog.stats import after_changes
from forklake.catalog.table_changes import TableChanges
from forklake.catalog.transaction import StagedObject, StagedOption, Transaction
from forklake.model.entities import Definition, LakeObject, TableDefinition
from forklake.model.files import DataFile, DeleteFile, InlinedBatch, TableStats
from forklake.model.ids import CatalogId, SnapshotId, TableId
from forklake.store.connection import Row, Rows, Statement
from forklake.store.dialect import Dialect
from forklake.store.file_rows import batch_row, data_file_row, delete_file_row, stats_row, table_stats_row
from forklake.store.objects import object_row
from forklake.store.options import OptionRow
from forklake.store.row_kinds import RowKind


@dataclass(frozen=True, slots=True)
class Head:
    """What a commit is put on top of, read under the catalog's lock."""

    snapshot_id: SnapshotId
    schema_version: int
    stats: Mapping[TableId, TableStats]
    objects: Mapping[int, LakeObject[Definition]]
    """The newest version of each object that is changed; what others did to it since the base included."""
    definitions: Mapping[TableId, TableDefinition]
    """Of the tables whose rows change."""
    options: tuple[OptionRow, ...]


class CommitSteps:
    """Collects the steps of one commit as snapshot `snapshot_id` of a catalog."""

    def __init__(self, dialect: Dialect, catalog_id: CatalogId, snapshot_id: SnapshotId) -> None:
        self._dialect = dialect
        self._catalog_id = catalog_id
        self._snapshot_id = snapshot_id
        self._rows: dict[str, list[Row]] = {}
        self._updates: list[Statement] = []

    def steps(self) -> list[Statement | Rows]:
        return [*self._updates, *(Rows(table, rows) for table, rows in self._rows.items() if rows)]

    def add(self, table: str, rows: Iterable[Row]) -> None:
        self._rows.setdefault(table, []).extend(rows)

    # Objects

    def change_object(self, staged: StagedObject, head: Head) -> None:
        newest = head.objects[staged.committed.object_id] if staged.committed else None
        if newest is not None:
            self._end_object(newest)
        if staged.now is not None:
            self.add("lake_object", [object_row(self._as_committed(_rebased(staged, newest)))])
        elif newest is not None and newest.kind == "table":
            self._mark_ended(RowKind.TABLE_CONTENTS, newest.object_id, [(0, SnapshotId(0))])

    def _as_committed(self, entry: LakeObject[Definition]) -> LakeObject[Definition]:
        definition = entry.definition
        if isinstance(definition, TableDefinition):
            definition = definition.committed_as(self._snapshot_id)
        return replace(entry, owner=self._catalog_id, begin_snapshot=self._snapshot_id, definition=definition)

    def _end_object(self, entry: LakeObject[Definition]) -> None:
        if entry.owner != self._catalog_id:
            self._mark_ended(RowKind.OBJECT, 0, [(entry.object_id, entry.begin_snapshot)])
            return
        self._updates.append(
            Statement(
                "UPDATE lake_object SET end_snapshot = :end_snapshot WHERE catalog_id = :catalog_id"
                " AND object_id = :object_id AND begin_snapshot = :begin_snapshot AND end_snapshot IS NULL",
                {
                    "end_snapshot": self._snapshot_id,
                    "catalog_id": self._catalog_id,
                    "object_id": entry.object_id,
                    "begin_snapshot": entry.begin_snapshot,
                },
            )
        )

    # Rows of a table

    def change_table(self, changes: TableChanges, definition: TableDefinition, before: TableStats) -> None:
        table_id = changes.table_id
        types = {column.column_id: column.type for _, column in definition.leaves()}
        after, files, batches = after_changes(before, changes, types)
        key = (self._catalog_id, table_id)
        for file in files:
            new = changes.new_files[file.data_file_id]
            self.add("lake_data_file", [data_file_row(key, file, self._snapshot_id)])
            known = {stats.column_id: stats for stats in new.column_stats}
            self.add("lake_file_column_stats", (stats_row(key, file, i, t, known.get(i)) for i, t in types.items()))
            self.add(
                "lake_file_partition_value",
                ((*key, file.data_file_id, position, value) for position, value in enumerate(new.partition_values)),
            )
        self.add(
            "lake_delete_file",
            (delete_file_row(key, d, self._snapshot_id) for d in changes.new_deletes.values()),
        )
        self._end_files(
            "lake_data_file",
            "data_file_id",
            RowKind.DATA_FILE,
            table_id,
            [e.data for e in changes.ended_files.values()],
        )
        self._end_files(
            "lake_delete_file",
            "delete_file_id",
            RowKind.DELETE_FILE,
            table_id,
            list(changes.replaced_deletes.values()),
        )
        self._change_batches(key, changes, batches)
        self.add(
            "lake_column_mapping",
            ((*key, i, self._snapshot_id, document) for i, document in changes.mappings.items()),
        )
        self.add("lake_table_stats", [table_stats_row(key, self._snapshot_id, after)])

    def _change_batches(
        self, key: tuple[CatalogId, TableId], changes: TableChanges, batches: list[InlinedBatch]
    ) -> None:
        self.add("lake_inlined_batch", (batch_row(key, batch, self._snapshot_id) for batch in batches))
        gone = [
            *changes.deleted_inlined,
            *((b.batch_id, position) for b in batches for position in b.deleted),
        ]
        self.add(
            "lake_inlined_delete",
            ((*key, batch_id, position, self._snapshot_id) for batch_id, position in sorted(gone)),
        )
        ended = changes.ended_batches.values()
        own = [batch.batch_id for batch in ended if batch.owner == self._catalog_id]
        inherited = [(batch.batch_id, batch.begin_snapshot) for batch in ended if batch.owner != self._catalog_id]
        self._end_own("lake_inlined_batch", "batch_id", changes.table_id, own)
        self._mark_ended(RowKind.INLINED_BATCH, changes.table_id, inherited)

    def _end_files(
        self,
        table: str,
        id_column: str,
        kind: RowKind,
        table_id: TableId,
        files: Collection[DataFile | DeleteFile],
    ) -> None:
        # The id is the first field of both kinds of files.
        self._end_own(table, id_column, table_id, [file[0] for file in files if file.owner == self._catalog_id])
        inherited = [(file[0], file.begin_snapshot) for file in files if file.owner != self._catalog_id]
        self._mark_ended(kind, table_id, inherited)

    def _end_own(self, table: str, id_column: str, table_id: TableId, ids: Collection[int]) -> None:
        if not ids:
            return
        self._updates.append(
            Statement(
                f"UPDATE {table} SET end_snapshot = :end_snapshot WHERE catalog_id = :catalog_id"
                f" AND table_id = :table_id AND {self._dialect.any_of(id_column, 'ids')} AND end_snapshot IS NULL",
                {
                    "end_snapshot": self._snapshot_id,
                    "catalog_id": self._catalog_id,
                    "table_id": table_id,
                    "ids": list(ids),
                },
            )
        )

    def _mark_ended(self, kind: RowKind, scope_id: int, ended: Iterable[tuple[int, SnapshotId]]) -> None:
        """End markers: what is inherited cannot be updated, only hidden from here on."""
        self.add(
            "lake_row_end",
            (
                (self._catalog_id, int(kind), scope_id, object_id, begin, self._snapshot_id)
                for object_id, begin in ended
            ),
        )

    # Options

    def set_option(self, option: StagedOption, option_id: int, current: Iterable[OptionRow]) -> None:
        for row in current:
            if (row.scope, row.scope_id, row.key) != (option.scope, option.scope_id, option.key):
                continue
            if row.owner != self._catalog_id:
                self._mark_ended(RowKind.OPTION, 0, [(row.option_id, row.begin_snapshot)])
                continue
            self._updates.append(
                Statement(
                    "UPDATE lake_option SET end_snapshot = :end_snapshot"
                    " WHERE catalog_id = :catalog_id AND option_id = :option_id AND end_snapshot IS NULL",
                    {
                        "end_snapshot": self._snapshot_id,
                        "catalog_id": self._catalog_id,
                        "option_id": row.option_id,
                    },
                )
            )
        if option.value is not None:
            row_values = (option.scope, option.scope_id, option.key, option.value)
            self.add("lake_option", [(self._catalog_id, option_id, self._snapshot_id, None, *row_values)])

    # The snapshot itself

    def record(self, transaction: Transaction, head: Head, changes: str | None, time: datetime, token: str) -> None:
        schema_version = head.schema_version + (1 if transaction.objects else 0)
        info = transaction.info
        stored_time = self._dialect.time_in(time)
        self.add(
            "lake_snapshot",
            [
                (
                    self._catalog_id,
                    self._snapshot_id,
                    head.snapshot_id,
                    stored_time,
                    schema_version,
                    changes,
                    info.author,
                    info.message,
                    info.extra_info,
                    token,
                )
            ],
        )
        self._updates.append(
            Statement(
                "UPDATE lake_catalog SET head_snapshot = :head, head_time = :head_time,"
                " schema_version = :schema_version WHERE catalog_id = :catalog_id",
                {
                    "head": self._snapshot_id,
                    "head_time": stored_time,
                    "schema_version": schema_version,
                    "catalog_id": self._catalog_id,
                },
            )
        )


def _rebased(staged: StagedObject, newest: LakeObject[Definition] | None) -> LakeObject[Definition]:
    """My version on top of the newest one: a rename and an alteration by two writers both count."""
    now, committed = staged.now, staged.committed
    assert now is not None
    if newest is None or committed is None:
        return now
    name = now.name if now.name != committed.name else newest.name
    definition = now.definition if now.definition != committed.definition else newest.definition
    return replace(now, name=name, definition=definition)


def all_steps(
    dialect: Dialect,
    transaction: Transaction,
    head: Head,
    snapshot_id: SnapshotId,
    *,
    changes: str | None,
    time: datetime,
    token: str,
    option_ids: Iterator[int],
) -> list[Statement | Rows]:
    """Every step that turns the staged changes into snapshot `snapshot_id`."""
    collected = CommitSteps(dialect, transaction.catalog.catalog_id, snapshot_id)
    for staged in transaction.objects.values():
        collected.change_object(staged, head)
    for table_id, table_changes in transaction.tables.items():
        if table_changes:
            collected.change_table(table_changes, head.definitions[table_id], head.stats.get(table_id, TableStats()))
    for option in transaction.options.values():
        collected.set_option(option, next(option_ids), head.options)
    collected.record(transaction, head, changes, time, token)
    return collected.steps()
