"""Compares the footer of a file with its metadata."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pyarrow import fs

from forklake.catalog.checks.visible_table import CheckedTable
from forklake.errors import InvalidInput
from forklake.maintenance.footers.read_footer import Footer, read_footer
from forklake.model.checked_rows import DeleteRow, FileRow
from forklake.model.entities import Column
from forklake.model.findings import Problem
from forklake.model.mappings import NameMapping
from forklake.model.periods import Period
from forklake.spark.tasks.statistics.file_fields import FileField
from forklake.spark.tasks.statistics.file_stats import largest_number
from forklake.spark.tasks.types.reserved_columns import FILE_PATH, POSITION, ROW_ID, SNAPSHOT_ID


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A data or delete file at its expected location."""

    files: fs.FileSystem
    path: str
    """The path in its file system."""
    period: Period
    row: FileRow | DeleteRow
    rows_of_data: int | None = None
    """For a delete file: the number of rows of its data file, if it exists."""


@dataclass(frozen=True, slots=True)
class _ExpectedField:
    """An expected column or field of a file; lists have one child, maps two, with any names."""

    name: str
    below: tuple["_ExpectedField", ...] = ()


def footer_problems(table: CheckedTable, file: StoredFile) -> Iterator[tuple[Problem, str]]:
    """All differences between a file and its metadata."""
    try:
        footer = read_footer(file.files, file.path, file.path)
    except InvalidInput as error:
        yield "damaged_file", str(error)
        return
    found = list(_content_problems(table, file, footer))
    yield from found
    length = footer.metadata.serialized_size
    if not found and file.row.footer_size not in (None, length):
        # With a slightly too large length, the file can sometimes be read nevertheless.
        yield "damaged_file", f"Its footer is said to have {length} bytes, and should have {file.row.footer_size}."


def _content_problems(table: CheckedTable, file: StoredFile, footer: Footer) -> Iterator[tuple[Problem, str]]:
    rows, expected = footer.metadata.num_rows, file.row.entries
    # A delete file for several snapshots also contains rows deleted after the current one.
    if rows != expected and not (isinstance(file.row, DeleteRow) and file.row.partial_max is not None):
        yield "wrong_count", f"The file has {rows} rows, and should have {expected}."
    if missing := list(_missing_names(_expected_fields(table, file.row), footer.fields)):
        yield "missing_column", f"The file lacks {', '.join(missing)}."
    elif isinstance(file.row, DeleteRow):
        yield from _wrong_positions(file, footer)
    else:
        yield from _wrong_row_ids(table, footer)


def _wrong_positions(file: StoredFile, footer: Footer) -> Iterator[tuple[Problem, str]]:
    last = largest_number(footer.metadata, POSITION)
    if file.rows_of_data is not None and last is not None and last >= file.rows_of_data:
        yield "too_many_deletes", f"It deletes row {last} of a data file that has {file.rows_of_data} rows."


def _wrong_row_ids(table: CheckedTable, footer: Footer) -> Iterator[tuple[Problem, str]]:
    largest = largest_number(footer.metadata, ROW_ID)
    if largest is not None and largest >= table.next_row_id:
        yield "low_row_id", f"The next row id is {table.next_row_id}, and row id {largest} is in use."


def _expected_fields(table: CheckedTable, row: FileRow | DeleteRow) -> Iterator[_ExpectedField]:
    if isinstance(row, DeleteRow):
        yield from (_ExpectedField(FILE_PATH), _ExpectedField(POSITION))
        return
    if row.row_id_start is None:
        yield _ExpectedField(ROW_ID)
    if row.partial_max is not None:
        yield _ExpectedField(SNAPSHOT_ID)
    # All other cases are reported by the metadata checks.
    if row.mapping_id is not None:
        yield from _fields_of_mapping(table.mappings.get(row.mapping_id, NameMapping(())), None)
    elif row.table_version in table.definitions:
        yield from _fields_of_columns(table.definitions[row.table_version].columns)


def _fields_of_columns(columns: Sequence[Column]) -> Iterator[_ExpectedField]:
    for column in columns:
        yield _ExpectedField(column.name, tuple(_fields_of_columns(column.children)))


def _fields_of_mapping(mapping: NameMapping, parent: int | None) -> Iterator[_ExpectedField]:
    for column in mapping.columns:
        if column.parent == parent and not column.is_partition:
            yield _ExpectedField(column.source_name, tuple(_fields_of_mapping(mapping, column.number)))


def _missing_names(expected: Iterator[_ExpectedField], fields: Sequence[FileField], above: str = "") -> Iterator[str]:
    """The names of missing fields."""
    found = {field.name: field for field in fields}
    for named in expected:
        if named.name not in found:
            yield f"{above}{named.name}"
        elif named.below:
            yield from _missing_below(named, found[named.name], above)


def _missing_below(named: _ExpectedField, field: FileField, above: str) -> Iterator[str]:
    here = f"{above}{named.name}."
    if field.type is not None and field.type.name == "struct":
        yield from _missing_names(iter(named.below), field.children, here)
        return
    for inner, child in zip(named.below, field.children, strict=False):
        yield from _missing_below(inner, child, here)
