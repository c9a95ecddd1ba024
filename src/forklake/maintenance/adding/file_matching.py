"""Matching of the columns of a foreign file to those of a table by name."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from forklake.errors import InvalidInput
from forklake.maintenance.adding.file_types import are_native, mismatch_message, source_type
from forklake.model.column_types import ColumnType, list_of, map_of, struct_of
from forklake.model.entities import Column, Table
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.spark.tasks.statistics.file_fields import FileField

LIST_CHILD = "list"
"""DuckLake's name for the elements of a list, regardless of their name in the file."""


@dataclass(frozen=True, slots=True)
class MatchingRules:
    """Whether a file may lack columns of the table, or have additional ones."""

    allow_missing: bool = False
    ignore_extra_columns: bool = False


STRICT = MatchingRules()


@dataclass(frozen=True, slots=True)
class MatchedColumns:
    """The columns of a table as found in a file: with the file's names and types, and the table's ids."""

    columns: tuple[Column, ...]
    places: dict[ColumnId, list[int]]
    """By leaf field of the table, its indexes among the leaves of the file."""
    missing: tuple[Column, ...] = ()
    """Columns and struct fields missing in the file, except within lists and maps."""
    native: bool = False
    """The file has exactly the form that we would write for the table."""

    def without(self, dropped: Collection[ColumnId]) -> "MatchedColumns":
        """The same without some columns, whose values are elsewhere."""
        kept = tuple(column for column in self.columns if column.column_id not in dropped)
        return replace(self, columns=kept, native=self.native and not dropped)


def match_columns(
    table: Table,
    fields: tuple[FileField, ...],
    file: str,
    rules: MatchingRules = STRICT,
    elsewhere: Collection[ColumnId] = (),
) -> MatchedColumns:
    """Match by name, ignoring case; raises InvalidInput for what does not fit.

    Columns whose values are `elsewhere` may be missing, or have any type.
    """
    matching = _Matching(table, file, rules)
    columns = table.definition.columns
    if are_native(columns, fields):
        for column in columns:
            matching.note_native(column, _field_named(fields, column.name))
        return MatchedColumns(columns, matching.places, native=True)
    found = matching.fields(columns, fields, (), frozenset(elsewhere))
    if not fields or not (found or elsewhere):
        raise InvalidInput(f'File "{file}" has none of the columns of table "{table.name}".')
    return MatchedColumns(found, matching.places, tuple(matching.missing))


def _field_named(fields: Iterable[FileField], name: str) -> FileField:
    return next(field for field in fields if field.name == name)


@dataclass(slots=True)
class _Matching:
    """The state of matching one file against the columns of a table."""

    table: Table
    file: str
    rules: MatchingRules
    places: dict[ColumnId, list[int]] = field(default_factory=dict)
    missing: list[Column] = field(default_factory=list)

    def fields(
        self,
        columns: Sequence[Column],
        fields: Sequence[FileField],
        path: tuple[str, ...],
        elsewhere: frozenset[ColumnId] = frozenset(),
        *,
        in_list: bool = False,
    ) -> tuple[Column, ...]:
        by_name: dict[str, list[FileField]] = {}
        for each in fields:
            by_name.setdefault(fold(each.name), []).append(each)
        matched = []
        for column in columns:
            candidates = by_name.pop(fold(column.name), [])
            if len(candidates) > 1:
                raise InvalidInput(self._ambiguous_message(candidates, path))
            if column.column_id in elsewhere:
                matched += self._column_if_it_fits(column, candidates, path)
            elif candidates:
                matched.append(self._column(column, candidates[0], (*path, column.name), in_list=in_list))
            else:
                self._note_missing(column, path, in_list=in_list)
        if by_name and not self.rules.ignore_extra_columns:
            raise InvalidInput(self._extra_message(next(iter(by_name.values()))[0], path))
        return tuple(matched)

    def note_native(self, column: Column, found: FileField) -> None:
        """Record the leaves of a column whose names and types need no check."""
        if not column.children:
            self._note(column, found)
        for at, child in enumerate(column.children):
            by_name = column.type.name == "struct"
            self.note_native(child, _field_named(found.children, child.name) if by_name else found.children[at])

    def _column_if_it_fits(
        self, column: Column, candidates: Sequence[FileField], path: tuple[str, ...]
    ) -> list[Column]:
        try:
            return [self._column(column, found, (*path, column.name)) for found in candidates]
        except InvalidInput:
            return []

    def _column(self, column: Column, found: FileField, path: tuple[str, ...], *, in_list: bool = False) -> Column:
        if column.children:
            if found.type is None or found.type.name != column.type.name:
                raise InvalidInput(self._mismatch_message(column, found, path))
            children = self._children(column, found, path, in_list=in_list)
            return Column(column.column_id, found.name, _nested_type(column.type.name, children), children=children)
        leaf_type = source_type(column, found)
        if leaf_type is None:
            raise InvalidInput(self._mismatch_message(column, found, path))
        self._note(column, found)
        return Column(column.column_id, found.name, leaf_type)

    def _children(
        self, column: Column, found: FileField, path: tuple[str, ...], *, in_list: bool
    ) -> tuple[Column, ...]:
        if column.type.name == "struct":
            children = self.fields(column.children, found.children, path, in_list=in_list)
            if not children:
                # Otherwise it is unknown whether the struct itself is NULL.
                raise InvalidInput(f'Column "{".".join(path)}" of file "{self.file}" has none of the fields it needs.')
            return children
        names = [LIST_CHILD] if column.type.name == "list" else [child.name for child in column.children]
        below = zip(column.children, found.children, names, strict=True)
        return tuple(
            replace(self._column(child, field, (*path, name), in_list=True), name=name) for child, field, name in below
        )

    def _note(self, column: Column, found: FileField) -> None:
        leaves = [leaf.leaf for leaf in found.leaves()]
        if found.is_variant:
            # NULL exactly where the variant is.
            leaves.sort(key=lambda at: at != _field_named(found.children, "metadata").leaf)
        self.places[column.column_id] = leaves

    def _note_missing(self, column: Column, path: tuple[str, ...], *, in_list: bool) -> None:
        if not self.rules.allow_missing:
            raise InvalidInput(
                f'Column "{".".join((*path, column.name))}" exists in table "{self.table.name}" but was not found in'
                f' file "{self.file}"\n* Set allow_missing => true to allow missing fields and columns'
            )
        if not in_list:
            self.missing.append(column)

    def _extra_message(self, found: FileField, path: tuple[str, ...]) -> str:
        return (
            f'Column "{".".join((*path, found.name))}" exists in file "{self.file}" but was not found in table'
            f' "{self.table.name}"\n* Set ignore_extra_columns => true to add the file anyway'
        )

    def _ambiguous_message(self, candidates: Sequence[FileField], path: tuple[str, ...]) -> str:
        names = " and ".join(f'"{".".join((*path, found.name))}"' for found in candidates[:2])
        return f'File "{self.file}" has columns {names}, whose names do not differ but in case: which is meant?'

    def _mismatch_message(self, column: Column, found: FileField, path: tuple[str, ...]) -> str:
        return (
            f'Failed to map column "{".".join(path)}" from file "{self.file}" to the column in table'
            f' "{self.table.name}"\n* {mismatch_message(column, found)}'
        )


def _nested_type(kind: str, children: tuple[Column, ...]) -> ColumnType:
    if kind == "struct":
        return struct_of(tuple((child.name, child.type) for child in children))
    return list_of(children[0].type) if kind == "list" else map_of(children[0].type, children[1].type)
