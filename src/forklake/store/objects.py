"""Schemas, tables, views and macros of a catalog at a snapshot."""

from collections.abc import Collection
from typing import Any, cast

from forklake.model.documents import read_definition, read_json, write_definition
from forklake.model.entities import Definition, LakeObject, TableDefinition
from forklake.model.ids import CatalogId, SchemaId, SnapshotId, TableId
from forklake.model.lineage import Scope
from forklake.model.names import fold
from forklake.store.connection import Row, Statement, Store
from forklake.store.row_kinds import RowKind
from forklake.store.scope import end_marker_statements, fetch_at_snapshot, visible_condition

_COLUMNS = (
    "o.catalog_id, o.object_id, o.begin_snapshot, o.kind, o.schema_id, o.name, o.object_uuid, o.path, o.definition"
)


def objects_named(
    store: Store, scope: Scope, schema_id: SchemaId, names: Collection[str]
) -> list[LakeObject[Definition]]:
    """The objects of any kind with these names in a schema; schemas themselves are in schema 0."""
    dialect = store.dialect
    where = f"o.schema_id = :schema_id AND {dialect.any_of('o.name_key', 'name_keys')}"
    params = {"schema_id": schema_id, "name_keys": [fold(name) for name in names]}
    return _read_objects(store, scope, where, params, in_schema=True)


def objects_with_ids(store: Store, scope: Scope, object_ids: Collection[int]) -> list[LakeObject[Definition]]:
    where = store.dialect.any_of("o.object_id", "object_ids")
    return _read_objects(store, scope, where, {"object_ids": list(object_ids)})


def objects_in_schema(store: Store, scope: Scope, schema_id: SchemaId) -> list[LakeObject[Definition]]:
    """All objects of a schema; schema 0 contains the schemas."""
    return _read_objects(store, scope, "o.schema_id = :schema_id", {"schema_id": schema_id}, in_schema=True)


def all_objects(store: Store, scope: Scope) -> list[LakeObject[Definition]]:
    return _read_objects(store, scope, "TRUE", {})


def table_versions(
    store: Store, scope: Scope, table_id: TableId, versions: Collection[SnapshotId]
) -> dict[SnapshotId, TableDefinition]:
    """The versions of a table that began at these snapshots, ended or not; unknown ones are omitted."""
    dialect = store.dialect
    asked = Statement(
        f"SELECT o.begin_snapshot, o.definition FROM {dialect.levels} JOIN lake_object o"
        " ON o.catalog_id = l.catalog_id AND o.object_id = :table_id AND o.begin_snapshot <= l.top"
        f" WHERE {dialect.any_of('o.begin_snapshot', 'versions')}",
        {"table_id": table_id, "versions": list(versions), **dialect.level_params(scope.levels)},
    )
    [rows] = fetch_at_snapshot(store, scope, [asked])
    return {begin: cast("TableDefinition", read_definition("table", read_json(document))) for begin, document in rows}


def object_statements(
    store: Store, scope: Scope, where: str, params: dict[str, object], *, in_schema: bool = False
) -> list[Statement]:
    """The statements whose rows `visible_objects` reads, to be combined with others in one round trip.

    With `in_schema`, the condition is on `o.schema_id`.
    """
    dialect = store.dialect
    # SQLite would read all objects of the catalog by its primary key.
    hint = dialect.index_hint("lake_object_name") if in_schema else ""
    rows = Statement(
        f"SELECT {_COLUMNS} FROM {dialect.levels} JOIN lake_object o{hint} ON o.catalog_id = l.catalog_id"
        f" WHERE {where} AND {visible_condition('o')}",
        {**params, **dialect.level_params(scope.levels)},
    )
    return [rows, *end_marker_statements(dialect, scope, RowKind.OBJECT, 0)]


def visible_objects(answers: list[list[Row]]) -> list[LakeObject[Definition]]:
    """The objects without end marker, sorted by kind and name."""
    rows, *markers = answers
    ended = {(object_id, begin) for marker in markers for object_id, begin in marker}
    found = [_object_from_row(row) for row in rows if (row[1], row[2]) not in ended]
    return sorted(found, key=lambda found_object: (found_object.kind, fold(found_object.name)))


def object_row(entry: LakeObject[Definition]) -> Row:
    """The row for a new version."""
    return (
        entry.owner,
        entry.object_id,
        entry.begin_snapshot,
        None,
        entry.kind,
        entry.schema_id,
        entry.name,
        fold(entry.name),
        entry.uuid,
        entry.path,
        write_definition(entry.definition),
    )


def _read_objects(
    store: Store, scope: Scope, where: str, params: dict[str, object], *, in_schema: bool = False
) -> list[LakeObject[Definition]]:
    return visible_objects(
        fetch_at_snapshot(store, scope, object_statements(store, scope, where, params, in_schema=in_schema))
    )


def _object_from_row(row: Row) -> LakeObject[Definition]:
    owner, object_id, begin, kind, schema_id, name, uuid, path, document = cast("Any", row)
    return LakeObject(
        owner=CatalogId(owner),
        object_id=object_id,
        begin_snapshot=SnapshotId(begin),
        kind=kind,
        schema_id=SchemaId(schema_id),
        name=name,
        uuid=str(uuid),
        path=path,
        definition=read_definition(kind, read_json(document)),
    )
