"""All rows of a table, with the periods in which they are visible."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from forklake.catalog.checks.checked_catalog import CheckContext
from forklake.catalog.checks.objects import UNREADABLE, marked_ends
from forklake.model.checked_rows import BatchRow, DeleteRow, FileRow
from forklake.model.documents import read_definition, read_json, read_mapping
from forklake.model.entities import TableDefinition
from forklake.model.findings import Finding
from forklake.model.ids import SnapshotId, TableId
from forklake.model.lineage import NO_LIMIT
from forklake.model.mappings import NameMapping
from forklake.model.periods import Period, visible_period
from forklake.store.row_kinds import RowKind
from forklake.store.table_checks import TableRows, files_by_statistics, table_rows

R = TypeVar("R", FileRow, DeleteRow, BatchRow)


@dataclass(frozen=True, slots=True)
class CheckedTable:
    """The rows of a table as read."""

    table_id: TableId
    name: str
    existing: list[Period]
    """The periods in which versions of the table exist."""
    dropped: int
    """The snapshot that dropped the table; NO_LIMIT if it was not dropped."""
    rows: TableRows
    files: list[tuple[Period, FileRow]]
    deletes: list[tuple[Period, DeleteRow]]
    batches: list[tuple[Period, BatchRow]]
    definitions: dict[SnapshotId, TableDefinition]
    """The readable definitions by begin snapshot."""
    mappings: dict[int, NameMapping]
    unreadable: list[Finding]
    with_statistics: dict[int, int]
    """By data file, the number of current columns with statistics."""

    @property
    def next_row_id(self) -> int:
        """The next row id in the newest statistics."""
        return self.rows.stats[-1].next_row_id if self.rows.stats else 0

    @property
    def columns(self) -> dict[int, int]:
        """The current leaf fields, each with the snapshot since which files contain it."""
        if not self.definitions:
            return {}
        newest = self.definitions[max(self.definitions)]
        return {leaf.column_id: leaf.added or 0 for _, leaf in newest.leaves()}


def read_checked_table(look: CheckContext, table_id: TableId, name: str, existing: list[Period]) -> CheckedTable:
    narrowed = look.catalog.lake.cache.owners.of_table(look.scope, look.catalog.lineage.ancestors, table_id)
    rows = table_rows(look.store, look.scope, narrowed, table_id)
    ended = marked_ends(rows.markers)
    dropped = ended.get((RowKind.TABLE_CONTENTS, 0, 0), NO_LIMIT)

    def with_periods(found: list[R], kind: RowKind, row_id: Callable[[R], int]) -> list[tuple[Period, R]]:
        marks = (min(dropped, ended.get((kind, row_id(row), row.begin), NO_LIMIT)) for row in found)
        return [
            (visible_period(row.begin, row.end, row.top, mark), row) for row, mark in zip(found, marks, strict=True)
        ]

    unreadable: list[Finding] = []
    table = CheckedTable(
        table_id=table_id,
        name=name,
        existing=existing,
        dropped=dropped,
        rows=rows,
        files=with_periods(rows.files, RowKind.DATA_FILE, lambda row: row.file_id),
        deletes=with_periods(rows.deletes, RowKind.DELETE_FILE, lambda row: row.file_id),
        batches=with_periods(rows.batches, RowKind.INLINED_BATCH, lambda row: row.batch_id),
        definitions=_definitions(name, rows, unreadable),
        mappings=_mappings(name, rows, unreadable),
        unreadable=unreadable,
        with_statistics={},
    )
    if rows.files and table.columns:
        table.with_statistics.update(files_by_statistics(look.store, narrowed, table_id, table.columns.keys()))
    return table


def _definitions(name: str, rows: TableRows, unreadable: list[Finding]) -> dict[SnapshotId, TableDefinition]:
    found: dict[SnapshotId, TableDefinition] = {}
    for version, document in rows.versions.items():
        try:
            found[version] = cast("TableDefinition", read_definition("table", read_json(document)))
        except UNREADABLE as error:
            detail = f"The definition of the table from snapshot {version} on cannot be read: {error!r}"
            unreadable.append(Finding("unreadable", name, snapshot_id=version, detail=detail))
    return found


def _mappings(name: str, rows: TableRows, unreadable: list[Finding]) -> dict[int, NameMapping]:
    found: dict[int, NameMapping] = {}
    for mapping_id, document in rows.mappings.items():
        try:
            found[mapping_id] = read_mapping(document)
        except UNREADABLE as error:
            unreadable.append(Finding("unreadable", name, detail=f"Column mapping {mapping_id}: {error}"))
    return found
