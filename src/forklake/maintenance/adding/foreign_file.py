"""Inspection of a foreign file for a table: whether it fits, and the metadata to store."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from forklake.errors import InvalidInput, InvalidName
from forklake.maintenance.adding.file_matching import MatchedColumns, MatchingRules, match_columns
from forklake.maintenance.adding.file_places import PlacedFile
from forklake.maintenance.adding.file_types import digits_fit
from forklake.maintenance.adding.partition_of_file import FileValues, partition_of_file
from forklake.maintenance.adding.path_columns import Constant, ConstantCache, agrees_with_path
from forklake.maintenance.footers.read_footer import Footer, read_footer
from forklake.model.entities import Column, Table
from forklake.model.hive_paths import hive_values
from forklake.model.ids import ColumnId
from forklake.model.mappings import NameMapping, foreign_mapping
from forklake.model.names import ROW_INDEX, fold
from forklake.model.pruning import COUNTED
from forklake.model.statistics import ColumnStats
from forklake.spark.tasks.partitions.partitioning import partitioning_of
from forklake.spark.tasks.statistics.file_stats import footer_facts


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """A file that fits a table."""

    placed: PlacedFile
    record_count: int
    file_size_bytes: int
    footer_size: int
    column_stats: tuple[ColumnStats, ...]
    partition_values: tuple[str | None, ...]
    mapping: NameMapping | None
    """The names in the file; None if names and field ids are those of the table."""


@dataclass(frozen=True, slots=True)
class TargetTable:
    """The table that files must fit, and the rules for matching."""

    table: Table
    rules: MatchingRules
    reads_paths: bool
    """Whether folder names may contain values of columns."""
    constants: ConstantCache = field(default_factory=ConstantCache, repr=False)

    def inspect_file(self, placed: PlacedFile) -> ForeignFile:
        """Inspect a file, reading only its footer; raises InvalidInput with the reason if it does not fit."""
        name, columns = placed.file.name, self.table.definition.columns
        footer = read_footer(placed.file.files, placed.file.path, name)
        _check_names(footer, name)
        given = {c.column.column_id: c for c in self._path_columns(placed)}
        matched = match_columns(self.table, footer.fields, name, self.rules, given)
        rows = footer.metadata.num_rows
        facts = footer_facts(footer.metadata, columns, places=matched.places)
        stats = {each.column_id: each for each in facts.column_stats}
        in_path = {
            column_id: each
            for column_id, each in given.items()
            if rows and not agrees_with_path(each, stats.get(column_id), rows, name)
        }
        matched = matched.without(in_path)
        _check_digits(self.table, matched, stats, name)
        stats |= {each.column_id: each for each in self._constant_stats(matched, in_path, rows)}
        if rows:
            _check_nulls(self.table, matched, footer, stats, in_path, name)
        return ForeignFile(
            placed,
            rows,
            footer.file_size_bytes,
            facts.footer_size,
            tuple(stats.values()),
            self._partition(placed, in_path, stats) if rows else (),
            None if matched.native else foreign_mapping(matched.columns, (each.column for each in in_path.values())),
        )

    def _path_columns(self, placed: PlacedFile) -> list[Constant]:
        if not self.reads_paths:
            return []
        return self.constants.in_path(self.table.definition.columns, placed.path, placed.file.name)

    def _constant_stats(
        self, matched: MatchedColumns, in_path: Mapping[ColumnId, Constant], rows: int
    ) -> Iterator[ColumnStats]:
        """Statistics of columns missing in the file, which have the same value in all rows."""
        for given in in_path.values():
            yield given.stats(rows)
        top = {column.column_id for column in self.table.definition.columns}
        for column in matched.missing:
            if column.initial_default is None:
                yield from (ColumnStats(leaf.column_id, 0, rows, column_size_bytes=0) for leaf in _row_leaves(column))
            elif column.column_id in top and column.type.name in COUNTED:
                yield self.constants.get(column.initial_default, column).stats(rows)

    def _partition(
        self, placed: PlacedFile, in_path: dict[ColumnId, Constant], stats: dict[ColumnId, ColumnStats]
    ) -> tuple[str | None, ...]:
        spec, columns = self.table.definition.partition, self.table.definition.columns
        if spec is None:
            return ()
        values = FileValues(in_path, stats, hive_values(placed.path) if self.reads_paths else {})
        return partition_of_file(partitioning_of(spec, columns), columns, values, placed.file.name)


def _check_names(footer: Footer, file: str) -> None:
    """Reject a column that Spark would fill with, or mistake for, the positions of rows, whether it is read or not."""
    for found in footer.fields:
        if fold(found.name) == ROW_INDEX:
            raise InvalidName(
                f"File \"{file}\" has a column '{found.name}', which is Spark's own name for the positions of rows in"
                " files. Rewrite the file without it, or with another name."
            )


def _row_leaves(column: Column) -> Iterator[Column]:
    """The leaves with one value per row, which excludes those in lists and maps."""
    if not column.children:
        yield column
    elif column.type.name == "struct":
        for child in column.children:
            if child.initial_default is None:
                yield from _row_leaves(child)


def _check_digits(table: Table, matched: MatchedColumns, stats: Mapping[ColumnId, ColumnStats], file: str) -> None:
    """Reject decimals that do not fit the column, according to their bounds."""
    now = {leaf.column_id: leaf for _, leaf in table.definition.leaves()}
    for column in matched.columns:
        for _, then in column.leaves():
            if not digits_fit(now[then.column_id], then.type, stats[then.column_id]):
                raise InvalidInput(
                    f'File "{file}" may have values in column "{column.name}" of type {then.type.sql()} that are too'
                    f" large for {now[then.column_id].type.sql()}."
                )


def _check_nulls(
    table: Table,
    matched: MatchedColumns,
    footer: Footer,
    stats: Mapping[ColumnId, ColumnStats],
    in_path: Mapping[ColumnId, Constant],
    file: str,
) -> None:
    """Reject a file that has, or may have, NULLs in a NOT NULL column."""
    names = {column.column_id: column.name for column in matched.columns}
    fields = {field.name: field for field in footer.fields}
    for column in table.definition.columns:
        if column.nulls_allowed:
            continue
        if column.column_id in in_path or column.column_id not in names:
            given = in_path.get(column.column_id)
            has_null: bool | None = (column.initial_default if given is None else given.text) is None
        elif not fields[names[column.column_id]].nullable:
            has_null = False
        else:
            has_null = _has_null(column, stats)
        if has_null is not False:
            problem = "has NULL in" if has_null else "does not say that it has no NULL in"
            raise InvalidInput(
                f'NOT NULL constraint failed: {table.name}.{column.name}\n* File "{file}" {problem} this column'
            )


def _has_null(column: Column, stats: Mapping[ColumnId, ColumnStats]) -> bool | None:
    """Whether a column is NULL in any row; None if unknown. The leaves of a NULL struct or list are NULL."""
    counts = [stats[leaf.column_id].null_count for _, leaf in column.leaves() if leaf.column_id in stats]
    if 0 in counts:
        return False
    return None if column.children or None in counts else True
