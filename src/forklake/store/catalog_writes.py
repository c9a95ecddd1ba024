"""Create, rename and drop catalog rows, each in one transaction. Functions return True on success."""

from uuid import uuid4

from forklake.errors import AlreadyExists, NoSuchCatalog
from forklake.model.changes import CreatedCatalog, CreatedSchema, format_changes
from forklake.model.entities import LakeObject, SchemaDefinition
from forklake.model.ids import CatalogId, SchemaId, SnapshotId
from forklake.model.lineage import NO_LIMIT
from forklake.model.names import DEFAULT_SCHEMA, path_segment
from forklake.store.catalog_rows import CatalogRecord, SnapshotRecord
from forklake.store.clock import clock_statement
from forklake.store.connection import RowsToInsert, Statement, Store
from forklake.store.dialect import read_drawn_ids
from forklake.store.objects import object_row

MAX_FOLDER = 200


def insert_catalog(store: Store, name: str, uuid: str) -> bool:
    """Insert an empty catalog with the schema `main`."""
    dialect = store.dialect
    folder = path_segment(name, uuid)
    first = [
        Statement(dialect.next_ids("entity"), {"count": 2}),
        Statement(dialect.next_ids("snapshot"), {"count": 1}),
        clock_statement(dialect),
        folder_taken_statement(folder),
        _name_taken_statement(name),
    ]
    with store.writing(first) as (transaction, (ids, births, clock, taken, existing)):
        if existing:
            raise AlreadyExists(f"Catalog '{name}' already exists.")
        catalog_id, schema_id = read_drawn_ids(ids, 2)
        birth, time = SnapshotId(read_drawn_ids(births, 1)[0]), clock[0][0]
        folder = unique_folder(folder, uuid) if taken else folder
        changes = format_changes([CreatedCatalog(name), CreatedSchema(DEFAULT_SCHEMA)])
        transaction.commit(
            [
                RowsToInsert("lake_catalog", [CatalogRecord.new(catalog_id, uuid, name, folder, birth, time)]),
                RowsToInsert("lake_catalog_ancestor", [(catalog_id, 0, catalog_id, NO_LIMIT)]),
                RowsToInsert("lake_object", [object_row(_main_schema(CatalogId(catalog_id), schema_id, birth))]),
                RowsToInsert("lake_snapshot", [SnapshotRecord(catalog_id, birth, None, time, 0, changes)]),
            ]
        )
    return True


def _main_schema(catalog_id: CatalogId, schema_id: int, birth: SnapshotId) -> LakeObject[SchemaDefinition]:
    where = f"{DEFAULT_SCHEMA}/"
    return LakeObject(
        catalog_id, schema_id, birth, "schema", SchemaId(0), DEFAULT_SCHEMA, str(uuid4()), where, SchemaDefinition()
    )


def update_catalog_name(store: Store, catalog_id: CatalogId, name: str, new_name: str) -> bool:
    with store.writing([_lock_live_catalog(store, catalog_id), _name_taken_statement(new_name)]) as (
        transaction,
        (locked, existing),
    ):
        if not locked:
            raise NoSuchCatalog(f"Catalog '{name}' was dropped.")
        if existing:
            raise AlreadyExists(f"Catalog '{new_name}' already exists.")
        update = "UPDATE lake_catalog SET catalog_name = :name WHERE catalog_id = :catalog_id"
        transaction.commit([Statement(update, {"name": new_name, "catalog_id": catalog_id})])
    return True


def end_catalog(store: Store, catalog_id: CatalogId, name: str) -> bool:
    """Mark a catalog as dropped; deletes its lineage and the snapshots that no fork can travel to.

    Other rows it wrote are kept while a fork can see them.
    """
    first = [_lock_live_catalog(store, catalog_id), Statement(store.dialect.next_ids("snapshot"), {"count": 1})]
    with store.writing(first) as (transaction, (locked, ids)):
        if not locked:
            raise NoSuchCatalog(f"Catalog '{name}' was dropped.")
        mine = {"catalog_id": catalog_id}
        end = "UPDATE lake_catalog SET end_snapshot = :end_snapshot WHERE catalog_id = :catalog_id"
        transaction.commit(
            [
                Statement(end, {**mine, "end_snapshot": read_drawn_ids(ids, 1)[0]}),
                Statement("DELETE FROM lake_catalog_ancestor WHERE catalog_id = :catalog_id", mine),
                Statement(
                    "DELETE FROM lake_snapshot WHERE catalog_id = :catalog_id AND snapshot_id > coalesce("
                    "(SELECT max(max_snapshot) FROM lake_catalog_ancestor"
                    " WHERE ancestor_id = :catalog_id AND depth > 0), -1)",
                    mine,
                ),
            ]
        )
    return True


def folder_taken_statement(folder: str) -> Statement:
    """Whether a catalog, live or dropped, has this folder."""
    return Statement("SELECT 1 FROM lake_catalog WHERE path = :folder", {"folder": folder})


def unique_folder(folder: str, uuid: str) -> str:
    return f"{folder[:MAX_FOLDER]}-{uuid}"


def _name_taken_statement(name: str) -> Statement:
    return Statement("SELECT 1 FROM lake_catalog WHERE catalog_name = :name AND end_snapshot IS NULL", {"name": name})


def _lock_live_catalog(store: Store, catalog_id: CatalogId) -> Statement:
    """Excludes commits, forks and expiry of the catalog; returns no row if it was dropped."""
    return Statement(
        "SELECT catalog_id FROM lake_catalog WHERE catalog_id = :catalog_id AND end_snapshot IS NULL"
        f" {store.dialect.own_catalog}",
        {"catalog_id": catalog_id},
    )
