"""The fields of a table as a tree: building, lookup by path or in sort expressions, replacement.

A path names a field from the top: ("address", "city"). The child of a list is `element`, the children of a map are
`key` and `value`. Names are case-insensitive.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from forklake.errors import InvalidChange, InvalidType, NoSuchColumn
from forklake.model.column_types import ColumnType, struct_of
from forklake.model.entities import Column, SortKey, TableDefinition
from forklake.model.ids import ColumnId, SnapshotId
from forklake.model.names import check_column_name, closest_name, fold, quote_if_needed

Path: TypeAlias = tuple[str, ...]
Columns: TypeAlias = tuple[Column, ...]

MOST_DEPTH = 50
"""Arrow supports a nesting depth of 64, and lists and maps need more than one level each."""


def path_text(path: Path) -> str:
    """The path as shown in messages."""
    return ".".join(quote_if_needed(part) for part in path)


def field_count(column_type: ColumnType) -> int:
    """The number of column ids that a column of this type needs."""
    return 1 + sum(field_count(child) for _, child in column_type.fields)


def check_type(column_type: ColumnType, depth: int = 1) -> None:
    """Reject invalid or duplicate names of struct fields, and too deep nesting."""
    if depth > MOST_DEPTH:
        raise InvalidType(f"The type is nested more than {MOST_DEPTH} deep.")
    if column_type.name == "struct":
        struct_of(column_type.fields)
    for name, child in column_type.fields:
        check_column_name(name, "field")
        check_type(child, depth + 1)


def build_column(name: str, column_type: ColumnType, ids: Iterator[ColumnId], added: SnapshotId | None) -> Column:
    """A new field and its descendants; parents are numbered before their children."""
    column = Column(next(ids), name, column_type, added=added)
    children = [build_column(child_name, child, ids, added) for child_name, child in column_type.fields]
    return replace(column, children=tuple(children))


def column_position(columns: Sequence[Column], name: str) -> int | None:
    """The position of the column with this name among its siblings."""
    key = fold(name)
    return next((at for at, column in enumerate(columns) if fold(column.name) == key), None)


def find_column(definition: TableDefinition, path: Path, missing: str | None = None) -> Column:
    """The column or nested field at this path; raises NoSuchColumn with `missing` and a suggestion."""
    if not path:
        raise NoSuchColumn("The path of a column needs at least one name")
    columns = definition.columns
    for part in path:
        at = column_position(columns, part)
        if at is None:
            nearest = closest_name(part, (column.name for column in columns))
            hint = "" if nearest is None else f". Did you mean {quote_if_needed(nearest)}?"
            message = missing or f"The table does not have a column with name {path_text(path)}"
            raise NoSuchColumn(message + hint)
        found = columns[at]
        columns = found.children
    return found


def siblings_of(definition: TableDefinition, path: Path) -> Columns:
    """The columns or struct fields at the same level; raises for the parts of a list or map, which are fixed."""
    find_column(definition, path)
    if len(path) == 1:
        return definition.columns
    parent = find_column(definition, path[:-1])
    if parent.type.name != "struct":
        raise InvalidChange(
            f"{path_text(path)} is part of a {parent.type.name.upper()}: only columns and fields of structs "
            "can be dropped, renamed, moved or given a default"
        )
    return parent.children


def change_column(definition: TableDefinition, path: Path, change: Callable[[Column], Column]) -> TableDefinition:
    """The definition with the column at an existing path replaced; the types of its ancestors are updated."""

    def in_place(columns: Columns) -> Columns:
        at = column_position(columns, path[-1])
        return tuple(change(column) if n == at else column for n, column in enumerate(columns))

    return change_children(definition, path[:-1], in_place)


def change_children(definition: TableDefinition, parent: Path, change: Callable[[Columns], Columns]) -> TableDefinition:
    """The definition with all fields directly below an existing path replaced; () is the table itself."""
    return replace(definition, columns=_change_below(definition.columns, parent, change))


def with_children(column: Column, children: Columns) -> Column:
    """The column with these children, and the type that results from them."""
    fields = tuple((child.name, child.type) for child in children)
    return replace(column, children=children, type=replace(column.type, fields=fields))


def promote(column: Column, new_type: ColumnType) -> Column:
    """The column with a wider type; its fields keep their ids, and take order and spelling from the new type."""
    if column.type.is_nested:
        by_name = {fold(child.name): child for child in column.children}
        children = [
            replace(promote(by_name[fold(name)], child_type), name=name) for name, child_type in new_type.fields
        ]
        return with_children(column, tuple(children))
    if column.type.name == "boolean" and new_type.name != "boolean":
        column = replace(column, initial_default=_as_digit(column.initial_default))
        if column.default_value_type == "literal":
            column = replace(column, default_value=_as_digit(column.default_value))
    return replace(column, type=new_type)


def check_sort_keys(definition: TableDefinition, keys: Sequence[SortKey]) -> None:
    """Reject empty expressions, and those that are just the name of a missing column."""
    for key in keys:
        if not key.expression.strip():
            raise InvalidChange("A sort expression is empty")
        path = _only_column(definition, key)
        if path is not None:
            missing = f"Columns in the SET SORTED BY statement were not found: {path_text(path)}"
            find_column(definition, path, missing)


def sorts_by(definition: TableDefinition, key: SortKey, path: Path) -> bool:
    """Whether a sort expression uses the column, judged by its text: false positives are possible."""
    wanted = tuple(map(fold, path))
    used = [_only_column(definition, key) or (), *_columns_in(key)]
    return any(tuple(map(fold, _without_table(definition, found)))[: len(wanted)] == wanted for found in used)


def renamed_sort_key(definition: TableDefinition, key: SortKey, path: Path, new_name: str) -> SortKey:
    """The sort key after the column at `path` is renamed."""
    if not sorts_by(definition, key, path):
        return key
    only = _only_column(definition, key)
    if only is None:
        raise InvalidChange(
            f"Cannot rename column {path_text(path)}: the table is sorted by {key.expression}, "
            "which cannot be rewritten. Reset the sort order first"
        )
    parts = list(_without_table(definition, only))
    parts[len(path) - 1] = new_name
    return replace(key, expression=".".join(_quote_in_dialect(part, key.dialect) for part in parts))


def _change_below(columns: Columns, parent: Path, change: Callable[[Columns], Columns]) -> Columns:
    if not parent:
        return change(columns)
    at = column_position(columns, parent[0])
    return tuple(
        with_children(column, _change_below(column.children, parent[1:], change)) if n == at else column
        for n, column in enumerate(columns)
    )


def _as_digit(literal: str | None) -> str | None:
    """Converts a boolean literal to a number: the only promotion whose old literals are invalid in the new type."""
    return None if literal is None else {"true": "1", "false": "0"}.get(literal.lower(), literal)


def _text_pattern(strings: str, name: str) -> re.Pattern[str]:
    chain = rf"(?P<chain>(?:{name})(?:\s*\.\s*(?:{name}))*)(?P<call>\s*\()?"
    return re.compile(rf"{strings}|\d[\w.]*|{chain}")


# Double quotes delimit strings in Spark, and identifiers in other dialects.
_SPARK_NAME = re.compile(r"`(?:[^`]|``)*`|[^\W\d]\w*")
_OTHER_NAME = re.compile(r'"(?:[^"]|"")*"|[^\W\d]\w*')
_SPARK_TEXT = _text_pattern(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", _SPARK_NAME.pattern)
_OTHER_TEXT = _text_pattern(r"'(?:[^']|'')*'", _OTHER_NAME.pattern)


def _columns_in(key: SortKey) -> list[Path]:
    """All dotted names in a sort expression, except names of functions."""
    pattern = _SPARK_TEXT if key.dialect == "spark" else _OTHER_TEXT
    return [_name_parts(found, key.dialect) for found in pattern.finditer(key.expression) if found["chain"]]


def _only_column(definition: TableDefinition, key: SortKey) -> Path | None:
    """The path, if the sort expression is nothing but a column reference."""
    text = key.expression.strip()
    if column_position(definition.columns, text) is not None:
        return (text,)
    pattern = _SPARK_TEXT if key.dialect == "spark" else _OTHER_TEXT
    found = pattern.fullmatch(text)
    return None if found is None or not found["chain"] else _name_parts(found, key.dialect)


def _name_parts(found: re.Match[str], dialect: str) -> Path:
    pattern = _SPARK_NAME if dialect == "spark" else _OTHER_NAME
    parts = [_unquote(part) for part in pattern.findall(found["chain"])]
    return tuple(parts[:-1] if found["call"] else parts)


def _unquote(part: str) -> str:
    return part[1:-1].replace(part[0] * 2, part[0]) if part[0] in '`"' else part


def _quote_in_dialect(name: str, dialect: str) -> str:
    quoted = quote_if_needed(name)
    return f"`{name.replace('`', '``')}`" if quoted != name and dialect == "spark" else quoted


def _without_table(definition: TableDefinition, path: Path) -> Path:
    """Removes the table name that a dotted name may begin with."""
    return path[1:] if len(path) > 1 and column_position(definition.columns, path[0]) is None else path
