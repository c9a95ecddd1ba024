"""Column mappings: the columns of a table by the names and types in files that do not match a version of the table."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from forklake.errors import InvalidInput
from forklake.model.column_types import parse_type
from forklake.model.entities import Column, TableDefinition
from forklake.model.ids import ColumnId
from forklake.model.names import check_text

MAP_BY_NAME = "map_by_name"
"""The only supported kind of mapping."""


@dataclass(frozen=True, slots=True)
class MappedColumn:
    """A name in the files and the column it maps to. `number` is unique within the mapping."""

    number: int
    source_name: str
    target_field_id: ColumnId
    parent: int | None = None
    """The number of the enclosing mapped column."""
    is_partition: bool = False
    """The value is in the path of the file, not in the file."""
    source_type: str | None = None
    """The type in the files, as written by `ColumnType.sql`; None if it is the type of the column."""


@dataclass(frozen=True, slots=True)
class NameMapping:
    """The names in a set of files; a column that is not mapped has its initial default there."""

    columns: tuple[MappedColumn, ...]


def mapping_of(definition: TableDefinition) -> NameMapping:
    """Maps all fields of a definition by their own names and types."""
    return NameMapping(tuple(_mapped_columns(definition.columns, None, count())))


def foreign_mapping(columns: tuple[Column, ...], in_path: Iterable[Column] = ()) -> NameMapping:
    """Maps columns by their names and types in the files, and others whose values are in the paths of the files."""
    numbers = count()
    stored = tuple(_mapped_columns(columns, None, numbers))
    given = (
        MappedColumn(next(numbers), column.name, column.column_id, is_partition=True, source_type=column.type.sql())
        for column in in_path
    )
    return NameMapping((*stored, *given))


def _mapped_columns(columns: tuple[Column, ...], parent: int | None, numbers: Iterator[int]) -> Iterator[MappedColumn]:
    for column in columns:
        number = next(numbers)
        yield MappedColumn(number, column.name, column.column_id, parent, source_type=column.type.sql())
        yield from _mapped_columns(column.children, number, numbers)


def check_mapping(mapping: NameMapping, fields: Collection[ColumnId]) -> None:
    """Reject a mapping that does not fit a table with these fields, or that is inconsistent."""
    seen: set[int] = set()
    names: set[tuple[int | None, str]] = set()
    for column in mapping.columns:
        check_text(column.source_name, "column name in files")
        if not 0 <= column.number < 2**31 or column.number in seen:
            raise InvalidInput(f"The number {column.number} of a mapped column is out of range, or taken.")
        if column.parent is not None and column.parent not in seen:
            raise InvalidInput(f"The mapped column {column.number} must come after its parent {column.parent}.")
        if column.target_field_id not in fields:
            raise InvalidInput(f"The mapping names column {column.target_field_id}, which the table does not have.")
        if (column.parent, column.source_name) in names:
            raise InvalidInput(f"The mapping gives the name {column.source_name!r} twice.")
        if column.source_type is not None:
            parse_type(column.source_type)
        seen.add(column.number)
        names.add((column.parent, column.source_name))
