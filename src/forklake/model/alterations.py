"""Pure CREATE TABLE and ALTER TABLE operations on table definitions.

Every function returns a new definition, or raises without side effects. A change without effect returns an equal
definition.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from forklake.errors import AlreadyExists, InvalidChange, NoSuchColumn
from forklake.model.column_tree import (
    Path,
    build_column,
    change_children,
    change_column,
    check_sort_keys,
    check_type,
    column_position,
    path_text,
    promote,
    renamed_sort_key,
    siblings_of,
    sorts_by,
)
from forklake.model.column_tree import field_count as field_count
from forklake.model.column_tree import find_column as find_column
from forklake.model.column_types import ColumnType, can_promote
from forklake.model.entities import COMMENT, UNCOMMITTED, Column, SortKey, SortSpec, TableDefinition
from forklake.model.ids import ColumnId, PartitionId, SnapshotId, SortId
from forklake.model.names import check_column_name, fold
from forklake.model.partitions import PartitionKey, PartitionSpec, parse_transform, transform_accepts

DefaultType = Literal["literal", "expression"]

MAX_NEW_FIELDS = 1_000_000
"""Maximum number of fields of a new table, numbered from 1; columns added later have larger ids."""


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """A requested column. A default without a default type is a literal."""

    name: str
    type: ColumnType
    nulls_allowed: bool = True
    default_value: str | None = None
    default_value_type: DefaultType | None = None
    default_value_dialect: str | None = None
    comment: str | None = None


def has_column(definition: TableDefinition, path: Path) -> bool:
    """Whether there is a column or nested field at this path."""
    try:
        find_column(definition, path)
    except NoSuchColumn:
        return False
    return True


def new_definition(specs: Sequence[ColumnSpec]) -> TableDefinition:
    """Returns the definition of a new table with these columns."""
    if not specs:
        raise InvalidChange("A table needs at least one column")
    if sum(field_count(spec.type) for spec in specs) > MAX_NEW_FIELDS:
        raise InvalidChange(f"A table cannot be created with more than {MAX_NEW_FIELDS} columns and fields")
    seen: set[str] = set()
    for spec in specs:
        _check_spec(spec)
        if fold(spec.name) in seen:
            raise AlreadyExists(f"Column with name {spec.name} already exists!")
        seen.add(fold(spec.name))
    ids = map(ColumnId, itertools.count(1))
    return TableDefinition(tuple(_new_column(spec, ids, added=None) for spec in specs))


def add_column(
    definition: TableDefinition, spec: ColumnSpec, ids: Iterator[ColumnId], parent: Path = ()
) -> TableDefinition:
    """Append a column, or a field to the struct at `parent`; consumes `field_count(spec.type)` new ids."""
    _check_spec(spec)
    _check_addition(spec, parent)
    siblings = definition.columns
    if parent:
        found = find_column(definition, parent)
        if found.type.name != "struct":
            raise InvalidChange(f"Fields can only be added to structs: {path_text(parent)} is {found.type.sql()}")
        siblings = found.children
    _check_name_free(spec.name, siblings, parent)
    column = _new_column(spec, ids, added=UNCOMMITTED)
    return change_children(definition, parent, lambda columns: (*columns, column))


def drop_column(definition: TableDefinition, path: Path) -> TableDefinition:
    """Drop a column or struct field, except the last one and any that the table is partitioned or sorted by."""
    column = find_column(definition, path)
    if len(siblings_of(definition, path)) == 1:
        only = "struct only has one field" if path[1:] else "table only has one column"
        raise InvalidChange(f"Cannot drop column: {only} remaining!")
    if definition.partition and any(key.column_id == column.column_id for key in definition.partition.keys):
        raise InvalidChange(f"Cannot drop column {path_text(path)}: the table is partitioned by this column")
    if definition.sort and any(sorts_by(definition, key, path) for key in definition.sort.keys):
        raise InvalidChange(f"Cannot drop column {path_text(path)}: the table is sorted by this column")
    return change_children(definition, path[:-1], lambda columns: tuple(c for c in columns if c is not column))


def rename_column(definition: TableDefinition, path: Path, new_name: str) -> TableDefinition:
    """Rename a column or struct field; sort keys that consist of just this column are renamed too.

    Rejected if a longer sort expression uses the column, because its text cannot be rewritten safely.
    """
    check_column_name(new_name)
    missing = f"Failed to rename column - column {path_text(path)} does not exist"
    column = find_column(definition, path, missing)
    others = [other for other in siblings_of(definition, path) if other is not column]
    _check_name_free(new_name, others, path[:-1])
    sort = definition.sort
    if sort:
        keys = tuple(renamed_sort_key(definition, key, path, new_name) for key in sort.keys)
        sort = replace(sort, keys=keys)
    renamed = change_column(definition, path, lambda found: replace(found, name=new_name))
    return replace(renamed, sort=sort)


def set_column_type(definition: TableDefinition, path: Path, new_type: ColumnType) -> TableDefinition:
    """Widen the type of a column; fields of nested types are matched by name and keep their ids."""
    column = find_column(definition, path)
    check_type(new_type)
    if column.type == new_type:
        return definition
    if not can_promote(column.type, new_type):
        raise InvalidChange(
            f"Cannot change the type of column {path_text(path)} from {column.type.sql()} "
            f"to {new_type.sql()} - only widening type promotions are allowed"
        )
    return change_column(definition, path, lambda found: promote(found, new_type))


def set_default(
    definition: TableDefinition,
    path: Path,
    value: str | None,
    value_type: DefaultType | None,
    dialect: str | None,
) -> TableDefinition:
    """Set the default for new rows; existing rows keep their values."""
    siblings_of(definition, path)
    _check_default(find_column(definition, path).type, value)
    return change_column(definition, path, lambda column: _with_default(column, value, value_type, dialect))


def drop_default(definition: TableDefinition, path: Path) -> TableDefinition:
    """Remove the default: new rows without a value get NULL."""
    return set_default(definition, path, None, None, None)


def set_not_null(definition: TableDefinition, path: Path) -> TableDefinition:
    """Forbid NULL in a column. The caller must ensure that no row contains NULL."""
    if not _find_top_level(definition, path).nulls_allowed:
        raise InvalidChange(f"Cannot SET NOT NULL on column {path_text(path)} - it already has a NOT NULL constraint")
    return change_column(definition, path, lambda column: replace(column, nulls_allowed=False))


def drop_not_null(definition: TableDefinition, path: Path) -> TableDefinition:
    """Allow NULL in a column again."""
    if _find_top_level(definition, path).nulls_allowed:
        raise InvalidChange(f"Cannot DROP NULL on column {path_text(path)} - it has no NOT NULL constraint defined")
    return change_column(definition, path, lambda column: replace(column, nulls_allowed=True))


def move_column(definition: TableDefinition, path: Path, after: str | None) -> TableDefinition:
    """Move a column or struct field after a sibling, or to the first position."""
    column = find_column(definition, path)
    rest = [other for other in siblings_of(definition, path) if other is not column]
    place = 0
    if after is not None:
        neighbour = find_column(definition, (*path[:-1], after))
        if neighbour is column:
            return definition
        place = rest.index(neighbour) + 1
    return change_children(definition, path[:-1], lambda _: (*rest[:place], column, *rest[place:]))


def set_partition(
    definition: TableDefinition, keys: Sequence[tuple[str, str]], partition_id: PartitionId
) -> TableDefinition:
    """Partition new files by these top-level columns, each with the text of its transform."""
    if not keys:
        raise InvalidChange("A partitioning needs at least one column")
    found = tuple(_partition_key(definition, name, transform) for name, transform in keys)
    if len(set(found)) < len(found):
        raise InvalidChange("The same partition key is given twice")
    if definition.partition and definition.partition.keys == found:
        return definition
    return replace(definition, partition=PartitionSpec(partition_id, found))


def reset_partition(definition: TableDefinition) -> TableDefinition:
    """Write new files without partitioning."""
    return replace(definition, partition=None)


def set_sort(definition: TableDefinition, keys: Sequence[SortKey], sort_id: SortId) -> TableDefinition:
    """Sort new files by these expressions; an expression that is just a column name must name an existing column."""
    if not keys:
        raise InvalidChange("A sort order needs at least one expression")
    check_sort_keys(definition, keys)
    if definition.sort and definition.sort.keys == tuple(keys):
        return definition
    return replace(definition, sort=SortSpec(sort_id, tuple(keys)))


def reset_sort(definition: TableDefinition) -> TableDefinition:
    """Write new files without a sort order."""
    return replace(definition, sort=None)


def set_tag(definition: TableDefinition, path: Path | None, key: str, value: str | None) -> TableDefinition:
    """Set a tag of a column, or of the table if `path` is None; the value None removes the tag."""
    owner = definition if path is None else find_column(definition, path)
    tags = {name: text for name, text in owner.tags.items() if name != key}
    if value is not None:
        tags[key] = value
    if path is None:
        return replace(definition, tags=tags)
    return change_column(definition, path, lambda column: replace(column, tags=tags))


def is_tightening(before: TableDefinition, after: TableDefinition) -> bool:
    """Whether a column became NOT NULL or changed its type, so that concurrently inserted rows may not fit."""
    old = {column.column_id: column for column in before.fields()}
    return any(
        column.type.text != old[column.column_id].type.text
        or (old[column.column_id].nulls_allowed and not column.nulls_allowed)
        for column in after.fields()
        if column.column_id in old
    )


def _check_spec(spec: ColumnSpec) -> None:
    check_column_name(spec.name)
    check_type(spec.type)
    _check_default(spec.type, spec.default_value)


def _check_addition(spec: ColumnSpec, parent: Path) -> None:
    if spec.default_value is not None and spec.default_value_type == "expression":
        raise InvalidChange("We cannot add a column with a non-literal default value")
    if not spec.nulls_allowed and parent:
        raise InvalidChange(f"Cannot add field {spec.name} with NOT NULL: only columns can be NOT NULL")
    if not spec.nulls_allowed and spec.default_value is None:
        raise InvalidChange(
            f"Cannot add column {spec.name} with NOT NULL, because existing rows have no value for it: "
            "give it a literal default"
        )


def _check_default(column_type: ColumnType, value: str | None) -> None:
    if value is not None and column_type.is_nested:
        raise InvalidChange(f"Default value for {column_type.name.upper()} type not supported")
    if value is not None and not isinstance(value, str):
        raise InvalidChange(f"A default is stored as text: write {str(value)!r} instead of {value!r}")


def _check_name_free(name: str, siblings: Sequence[Column], parent: Path) -> None:
    if column_position(siblings, name) is None:
        return
    if parent:
        raise AlreadyExists(f'field "{name}" already exists in column {path_text(parent)}')
    raise AlreadyExists(f"Column with name {name} already exists!")


def _new_column(spec: ColumnSpec, ids: Iterator[ColumnId], added: SnapshotId | None) -> Column:
    column = replace(
        build_column(spec.name, spec.type, ids, added),
        nulls_allowed=spec.nulls_allowed,
        tags={} if spec.comment is None else {COMMENT: spec.comment},
    )
    column = _with_default(column, spec.default_value, spec.default_value_type, spec.default_value_dialect)
    literal = column.default_value_type == "literal"
    return replace(column, initial_default=column.default_value if literal else None)


def _with_default(column: Column, value: str | None, value_type: DefaultType | None, dialect: str | None) -> Column:
    return replace(
        column,
        default_value=value,
        default_value_type=None if value is None else value_type or "literal",
        default_value_dialect=None if value is None else dialect,
    )


def _find_top_level(definition: TableDefinition, path: Path) -> Column:
    column = find_column(definition, path)
    if len(path) > 1:
        raise InvalidChange(f"{path_text(path)} is a nested field: only columns can be NOT NULL")
    return column


def _partition_key(definition: TableDefinition, name: str, transform: str) -> PartitionKey:
    column = find_column(definition, (name,), f'Unexpected partition key - column "{name}" does not exist')
    stored = parse_transform(transform)
    if not transform_accepts(stored, column.type):
        raise InvalidChange(f'Column "{name}" of type {column.type.sql()} cannot be partitioned by {stored}')
    return PartitionKey(column.column_id, stored)
