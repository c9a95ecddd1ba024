"""Name resolution within a transaction, with suggestions in errors."""

from typing import cast

from forklake.catalog.transaction.read_set import NOT_FOUND
from forklake.catalog.transaction.transaction import SCHEMAS, Transaction
from forklake.errors import NoSuchSchema
from forklake.model.entities import Definition, LakeObject, Macro, ObjectKind, Schema, Table, View
from forklake.model.ids import SchemaId
from forklake.model.names import did_you_mean, split_qualified


def find_object(tx: Transaction, schema: Schema, name: str, *kinds: ObjectKind) -> LakeObject[Definition] | None:
    """The object of one of these kinds, or None."""
    named = tx.objects_named(SchemaId(schema.object_id), name)
    return next((entry for entry in named if entry.kind in kinds), None)


def find_table(tx: Transaction, schema: str, name: str) -> Table | None:
    """The table, or None; raises NoSuchSchema."""
    return cast("Table | None", find_object(tx, get_schema(tx, schema), name, "table"))


def find_schema(tx: Transaction, name: str) -> Schema | None:
    return next(iter(cast("list[Schema]", tx.objects_named(SCHEMAS, name))), None)


def get_schema(tx: Transaction, name: str) -> Schema:
    schema = find_schema(tx, name)
    if schema is None:
        hint = did_you_mean(name, [entry.name for entry in tx.objects_in(SCHEMAS)])
        raise NoSuchSchema(f"Schema '{name}' not found in catalog '{tx.catalog.name}'.{hint}")
    return schema


def get_table(tx: Transaction, schema: str, name: str) -> Table:
    return cast("Table", _get_object(tx, schema, name, "table"))


def get_view(tx: Transaction, schema: str, name: str) -> View:
    return cast("View", _get_object(tx, schema, name, "view"))


def get_macro(tx: Transaction, schema: str, name: str, *, table: bool = False) -> Macro:
    return cast("Macro", _get_object(tx, schema, name, "table_macro" if table else "scalar_macro"))


def list_schemas(tx: Transaction) -> list[Schema]:
    return cast("list[Schema]", tx.objects_in(SCHEMAS))


def list_tables(tx: Transaction, schema: str) -> list[Table]:
    return cast("list[Table]", _list_objects(tx, schema, "table"))


def list_views(tx: Transaction, schema: str) -> list[View]:
    return cast("list[View]", _list_objects(tx, schema, "view"))


def list_macros(tx: Transaction, schema: str) -> list[Macro]:
    return cast("list[Macro]", _list_objects(tx, schema, "scalar_macro", "table_macro"))


def _list_objects(tx: Transaction, schema: str, *kinds: str) -> list[LakeObject[Definition]]:
    entries = tx.objects_in(SchemaId(get_schema(tx, schema).object_id))
    return [entry for entry in entries if entry.kind in kinds]


def _get_object(tx: Transaction, schema_name: str, name: str, kind: ObjectKind) -> LakeObject[Definition]:
    schema = get_schema(tx, schema_name)
    found = find_object(tx, schema, name, kind)
    if found is not None:
        return found
    error, noun = NOT_FOUND[kind]
    # A view may have been meant instead of a table, and vice versa.
    alike = ("table", "view") if kind in ("table", "view") else (kind,)
    known = [entry.name for entry in tx.objects_in(SchemaId(schema.object_id)) if entry.kind in alike]
    raise error(
        f"{noun} '{schema.name}.{name}' does not exist in catalog '{tx.catalog.name}' at version {tx.base}."
        f"{_hint_of_schema(tx, name, kind) or did_you_mean(name, known)}"
    )


def _hint_of_schema(tx: Transaction, name: str, kind: ObjectKind) -> str:
    """A hint for `schema.name` given as one name, which may also be the name of an object."""
    found = split_qualified(name)
    schema = None if found is None else find_schema(tx, found[0])
    if found is None or schema is None or find_object(tx, schema, found[1], kind) is None:
        return ""
    return f" Did you mean '{found[1]}' of schema '{schema.name}'? The schema is an argument or a part of its own."
