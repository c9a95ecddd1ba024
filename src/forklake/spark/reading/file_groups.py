"""Files grouped by the names and types of their columns, each group read as one relation.

Field ids map the columns of a file to those of the table, but Spark cannot match by them: it pushes down filters and
prunes nested fields by name. So each group is read with the actual names in its files.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from forklake.catalog.planning.scan_planning import ScanPlan
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import CorruptMetadata
from forklake.model.column_types import parse_type
from forklake.model.entities import UNCOMMITTED, Column, Table
from forklake.model.files import ScanFile
from forklake.model.ids import ColumnId, MappingId, SnapshotId, TableId
from forklake.model.mappings import MappedColumn, NameMapping


@dataclass(frozen=True, slots=True)
class PathColumn:
    """A column whose value is in the path of a file, and the same for all of its rows."""

    key: str
    column: Column
    """As of when the files were added, which determines the type of the text in the path."""


Kind = tuple[SnapshotId | None, MappingId | None]
"""What determines the names in a file: the version of the table, or a mapping."""
Shape = tuple[object, ...]
Naming = tuple[Column | PathColumn | None, ...]
"""For each column of the table, the column in the files; None if they are older than the column."""


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files that can be read as one relation, each with its number in the scan."""

    naming: Naming
    files: tuple[tuple[int, ScanFile], ...]


RowIdSource = Literal["counted", "file", "none"]
"""The row ids of a file: counted from its first one, stored in the file, or not assigned before the commit."""


def numbered_files(plan: ScanPlan) -> list[tuple[int, ScanFile]]:
    """The files of a plan, numbered: first those with deletes, so that adding files does not change their numbers."""
    changed = [file for file in plan.files if file.delete is not None]
    if not changed:
        return list(enumerate(plan.files))
    return list(enumerate([*changed, *(file for file in plan.files if file.delete is None)]))


def row_id_source(tx: Transaction, plan: ScanPlan) -> Callable[[ScanFile], RowIdSource]:
    """Where the row ids of each file of a plan come from."""
    staged = tx.tables.get(TableId(plan.table.object_id))

    def find(file: ScanFile) -> RowIdSource:
        if file.data.row_id_start is not None:
            return "counted"
        if file.data.begin_snapshot != UNCOMMITTED or staged is None:
            return "file"
        return "file" if staged.new_files[file.data.data_file_id].embeds_row_ids else "none"

    return find


def group_by_naming(tx: Transaction, table: Table, files: Sequence[tuple[int, ScanFile]]) -> list[FileGroup]:
    """The files by naming, in the order of first occurrence."""
    kinds: dict[Kind, list[tuple[int, ScanFile]]] = {}
    for numbered in files:
        data = numbered[1].data
        version = data.table_version if data.mapping_id is None else None
        kinds.setdefault((version, data.mapping_id), []).append(numbered)
    namings = _namings_by_kind(tx, table, kinds)
    by_shape: dict[Shape, tuple[Naming, list[tuple[int, ScanFile]]]] = {}
    for kind, members in kinds.items():
        naming = namings[kind]
        shape = tuple(_reading_shape(now, then) for now, then in zip(table.definition.columns, naming, strict=True))
        by_shape.setdefault(shape, (naming, []))[1].extend(members)
    return [FileGroup(naming, tuple(members)) for naming, members in by_shape.values()]


def _namings_by_kind(tx: Transaction, table: Table, kinds: Iterable[Kind]) -> dict[Kind, Naming]:
    versions = {version for version, mapping_id in kinds if mapping_id is None and version is not None}
    definitions = tx.table_versions(table, versions) if versions else {}
    mapped = any(mapping_id is not None for _, mapping_id in kinds)
    mappings = tx.mappings(TableId(table.object_id)) if mapped else {}
    namings = {}
    for version, mapping_id in kinds:
        by_id: dict[ColumnId, Column | PathColumn] = {}
        if mapping_id is not None:
            if mapping_id not in mappings:
                raise CorruptMetadata(f"Table '{table.name}' has no column mapping {mapping_id}, which a file names.")
            by_id |= _mapped_columns(mappings[mapping_id], table)
        else:
            columns = (definitions[version] if version is not None else table.definition).columns
            by_id |= {column.column_id: column for column in columns}
        namings[version, mapping_id] = tuple(by_id.get(column.column_id) for column in table.definition.columns)
    return namings


def _reading_shape(now: Column, then: Column | PathColumn | None) -> Shape:
    """What is relevant for reading `now`: the names and types of everything that still exists."""
    if then is None:
        return ()
    if isinstance(then, PathColumn):
        return (PathColumn, then.key, then.column.type.text)
    old = {child.column_id: child for child in then.children}
    children = tuple(_reading_shape(child, old.get(child.column_id)) for child in now.children)
    return (then.name, then.type.text, children)


def _mapped_columns(mapping: NameMapping, table: Table) -> dict[ColumnId, Column | PathColumn]:
    """The columns of files with a mapping, as if they were those of a table version."""
    known = {column.column_id: column for column in table.definition.fields()}
    below: dict[int | None, list[MappedColumn]] = {}
    for entry in mapping.columns:
        if entry.target_field_id in known:
            below.setdefault(entry.parent, []).append(entry)
    return {entry.target_field_id: _mapped_entry(entry, below, known) for entry in below.get(None, ())}


def _mapped_entry(
    entry: MappedColumn, below: Mapping[int | None, Sequence[MappedColumn]], known: Mapping[ColumnId, Column]
) -> Column | PathColumn:
    column = _mapped_column(entry, below, known)
    return PathColumn(entry.source_name, column) if entry.is_partition else column


def _mapped_column(
    entry: MappedColumn, below: Mapping[int | None, Sequence[MappedColumn]], known: Mapping[ColumnId, Column]
) -> Column:
    children = tuple(_mapped_column(child, below, known) for child in below.get(entry.number, ()))
    column_type = known[entry.target_field_id].type if entry.source_type is None else parse_type(entry.source_type)
    return Column(entry.target_field_id, entry.source_name, column_type, children=children)
