"""DDL: create, rename, alter and drop schemas, tables, views and macros, staged in a transaction."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast
from uuid import uuid4

from forklake.catalog.transaction.names import find_object, find_schema, get_macro, get_schema, get_table, get_view
from forklake.catalog.transaction.transaction import SCHEMAS, Transaction
from forklake.errors import AlreadyExists, InvalidChange
from forklake.model.alterations import ColumnSpec, is_tightening, new_definition, set_partition, set_sort
from forklake.model.entities import (
    COMMENT,
    UNCOMMITTED,
    Definition,
    LakeObject,
    Macro,
    MacroDefinition,
    ObjectKind,
    Schema,
    SchemaDefinition,
    SortKey,
    Table,
    TableDefinition,
    View,
    ViewDefinition,
)
from forklake.model.ids import PartitionId, SchemaId, SortId
from forklake.model.names import check_object_name, fold, path_segment

D = TypeVar("D", bound=Definition)

_RELATIONS: tuple[ObjectKind, ...] = ("table", "view")


def create_schema(tx: Transaction, name: str, *, if_not_exists: bool = False) -> Schema:
    existing = find_schema(tx, name)
    if existing is not None:
        if if_not_exists:
            return existing
        raise AlreadyExists(f'Schema with name "{existing.name}" already exists!')
    return _create(tx, SCHEMAS, "schema", name, SchemaDefinition(), parent_path="")


def drop_schema(tx: Transaction, name: str, *, cascade: bool = False, if_exists: bool = False) -> None:
    """Drop a schema; its contents only with `cascade`."""
    if if_exists and find_schema(tx, name) is None:
        return
    schema = get_schema(tx, name)
    entries = tx.objects_in(SchemaId(schema.object_id))
    if entries and not cascade:
        raise InvalidChange(
            f'Cannot drop schema "{schema.name}" because there are entries that depend on it.'
            f" Use DROP...CASCADE to drop them too: {', '.join(entry.name for entry in entries[:5])}."
        )
    for entry in entries:
        tx.stage_object(entry, None)
    tx.stage_object(schema, None)


def create_table(
    tx: Transaction,
    schema: str,
    name: str,
    columns: Sequence[ColumnSpec],
    *,
    partitioned_by: Sequence[tuple[str, str]] = (),
    sorted_by: Sequence[SortKey] = (),
    comment: str | None = None,
    or_replace: bool = False,
) -> Table:
    """Create a table. `partitioned_by` contains column names with their transforms."""
    parent = get_schema(tx, schema)
    definition = new_definition(columns)
    ids = iter(tx.new_ids("entity", 3))
    if partitioned_by:
        definition = set_partition(definition, partitioned_by, PartitionId(next(ids)))
    if sorted_by:
        definition = set_sort(definition, sorted_by, SortId(next(ids)))
    if comment is not None:
        definition = replace(definition, tags={COMMENT: comment})
    _make_room(tx, parent, name, "table", or_replace=or_replace)
    return _create(
        tx,
        SchemaId(parent.object_id),
        "table",
        name,
        definition,
        parent_path=parent.path,
        object_id=next(ids),
    )


def alter_table(tx: Transaction, schema: str, name: str, change: Callable[[TableDefinition], TableDefinition]) -> Table:
    """Change the definition of a table with a function of `model.alterations`. Its rows are not checked.

    For users of the metadata core alone; SQL and tables in Python go through `spark.verbs.alter_table`.
    """
    table = get_table(tx, schema, name)
    return redefine_table(tx, table, change(table.definition))


def redefine_table(tx: Transaction, table: Table, definition: TableDefinition) -> Table:
    """Give a table another definition. Its rows are not checked."""
    altered = replace(table, definition=definition)
    if definition != table.definition:
        tx.stage_object(table, altered, tightened=is_tightening(table.definition, definition))
    return altered


def drop_table(tx: Transaction, schema: str, name: str, *, if_exists: bool = False) -> None:
    """Drop a table; writes one row, regardless of the number of files."""
    _drop(tx, schema, name, "table", get_table, if_exists=if_exists)


def rename_table(tx: Transaction, schema: str, name: str, new_name: str) -> Table:
    return _rename(tx, get_table(tx, schema, name), schema, new_name)


def create_view(
    tx: Transaction,
    schema: str,
    name: str,
    definition: ViewDefinition,
    *,
    or_replace: bool = False,
) -> View:
    parent = get_schema(tx, schema)
    _make_room(tx, parent, name, "view", or_replace=or_replace)
    return _create(tx, SchemaId(parent.object_id), "view", name, definition)


def drop_view(tx: Transaction, schema: str, name: str, *, if_exists: bool = False) -> None:
    _drop(tx, schema, name, "view", get_view, if_exists=if_exists)


def rename_view(tx: Transaction, schema: str, name: str, new_name: str) -> View:
    return _rename(tx, get_view(tx, schema, name), schema, new_name)


def create_macro(
    tx: Transaction,
    schema: str,
    name: str,
    definition: MacroDefinition,
    *,
    table: bool = False,
    or_replace: bool = False,
) -> Macro:
    """Create a scalar or table macro; each kind has its own namespace."""
    parent = get_schema(tx, schema)
    if not definition.implementations:
        raise InvalidChange(f"Macro '{name}' needs at least one implementation.")
    kind: ObjectKind = "table_macro" if table else "scalar_macro"
    _make_room(tx, parent, name, kind, or_replace=or_replace)
    return _create(tx, SchemaId(parent.object_id), kind, name, definition)


def drop_macro(tx: Transaction, schema: str, name: str, *, table: bool = False, if_exists: bool = False) -> None:
    kind: ObjectKind = "table_macro" if table else "scalar_macro"
    _drop(tx, schema, name, kind, lambda *where: get_macro(*where, table=table), if_exists=if_exists)


def set_object_tag(tx: Transaction, entry: LakeObject[D], value: str | None, *, key: str = COMMENT) -> LakeObject[D]:
    """Set a tag, by default the comment, of a schema, table, view or macro; None removes it."""
    entry = tx.current(entry)
    tags = {name: text for name, text in entry.definition.tags.items() if name != key}
    if value is not None:
        tags[key] = value
    tagged = replace(entry, definition=replace(cast("Any", entry.definition), tags=tags))
    tx.stage_object(entry, tagged)
    return tagged


def _create(
    tx: Transaction,
    schema_id: SchemaId,
    kind: ObjectKind,
    name: str,
    definition: D,
    *,
    parent_path: str | None = None,
    object_id: int | None = None,
) -> LakeObject[D]:
    check_object_name(name, kind.replace("_", " "))
    uuid = str(uuid4())
    path = None if parent_path is None else f"{parent_path}{path_segment(name, uuid)}/"
    new_id = tx.new_ids("entity")[0] if object_id is None else object_id
    created = LakeObject(tx.catalog.catalog_id, new_id, UNCOMMITTED, kind, schema_id, name, uuid, path, definition)
    tx.stage_object(None, created)
    return created


def _make_room(tx: Transaction, schema: Schema, name: str, kind: ObjectKind, *, or_replace: bool) -> None:
    """The name must be free, or belong to an object of the same kind that is to be replaced."""
    namespace = _RELATIONS if kind in _RELATIONS else (kind,)
    existing = find_object(tx, schema, name, *namespace)
    if existing is None:
        return
    noun = _noun(existing.kind)
    if not or_replace:
        raise AlreadyExists(f'{noun} with name "{existing.name}" already exists!')
    if existing.kind != kind:
        raise InvalidChange(
            f"Existing object {existing.name} is of type {noun}, trying to replace with type {_noun(kind)}."
        )
    tx.stage_object(existing, None)


def _drop(
    tx: Transaction,
    schema: str,
    name: str,
    kind: ObjectKind,
    get: Callable[[Transaction, str, str], LakeObject[Definition]],
    *,
    if_exists: bool,
) -> None:
    parent = find_schema(tx, schema)
    if parent is not None:
        other = find_object(tx, parent, name, *_RELATIONS) if kind in _RELATIONS else None
        if other is not None and other.kind != kind:
            raise InvalidChange(
                f"Existing object {other.name} is of type {_noun(other.kind)}, trying to drop type {_noun(kind)}."
            )
        if if_exists and find_object(tx, parent, name, kind) is None:
            return
    elif if_exists:
        return
    tx.stage_object(get(tx, schema, name), None)


def _rename(tx: Transaction, entry: LakeObject[D], schema: str, new_name: str) -> LakeObject[D]:
    """Rename a table or view within its schema. Its files are not moved."""
    check_object_name(new_name, entry.kind)
    other = find_object(tx, get_schema(tx, schema), new_name, *_RELATIONS)
    if other is not None and (other.object_id != entry.object_id or fold(entry.name) != fold(new_name)):
        raise AlreadyExists(
            f"Cannot rename {entry.kind} {entry.name} to {new_name}, since {other.name} already exists."
        )
    renamed = replace(entry, name=new_name)
    tx.stage_object(entry, renamed)
    return renamed


def _noun(kind: ObjectKind) -> str:
    return kind.replace("_", " ").capitalize()
