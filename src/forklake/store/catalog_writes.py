"""Statements that create, rename and drop catalog rows. The transactions are those of the caller."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import uuid4

from forklake.model.changes import CreatedCatalog, CreatedSchema, format_changes
from forklake.model.entities import LakeObject, SchemaDefinition
from forklake.model.ids import CatalogId, SchemaId, SnapshotId
from forklake.model.lineage import NO_LIMIT
from forklake.model.names import DEFAULT_SCHEMA
from forklake.store.catalog_rows import CatalogRecord, SnapshotRecord
from forklake.store.clock import clock_statement
from forklake.store.connection import Row, RowsToInsert, Statement
from forklake.store.dialect import StoreDialect, read_drawn_ids
from forklake.store.objects import object_row

MAX_FOLDER = 200


class NewCatalog(NamedTuple):
    """What a transaction needs to know to create a catalog."""

    catalog_id: CatalogId
    schema_id: SchemaId
    first_snapshot: SnapshotId
    time: Any
    is_folder_taken: bool
    is_name_taken: bool


def prepare_catalog(dialect: StoreDialect, name: str, folder: str) -> list[Statement]:
    """Allocates ids for a new catalog, and finds others with its name or folder; read with `read_new_catalog`."""
    return [
        Statement(dialect.next_ids("entity"), {"count": 2}),
        Statement(dialect.next_ids("snapshot"), {"count": 1}),
        clock_statement(dialect),
        folder_taken_statement(folder),
        name_taken_statement(name),
    ]


def read_new_catalog(answers: Sequence[list[Row]]) -> NewCatalog:
    ids, births, clock, same_folder, same_name = answers
    catalog_id, schema_id = read_drawn_ids(ids, 2)
    [birth] = read_drawn_ids(births, 1)
    return NewCatalog(
        CatalogId(catalog_id), SchemaId(schema_id), SnapshotId(birth), clock[0][0], bool(same_folder), bool(same_name)
    )


def insert_catalog(new: NewCatalog, name: str, uuid: str, folder: str) -> list[RowsToInsert]:
    """The rows of an empty catalog with the schema `main`."""
    catalog_id, birth, time = new.catalog_id, new.first_snapshot, new.time
    changes = format_changes([CreatedCatalog(name), CreatedSchema(DEFAULT_SCHEMA)])
    return [
        RowsToInsert("lake_catalog", [CatalogRecord.new(catalog_id, uuid, name, folder, birth, time)]),
        RowsToInsert("lake_catalog_ancestor", [(catalog_id, 0, catalog_id, NO_LIMIT)]),
        RowsToInsert("lake_object", [object_row(_main_schema(new))]),
        RowsToInsert("lake_snapshot", [SnapshotRecord(catalog_id, birth, None, time, 0, changes)]),
    ]


def _main_schema(new: NewCatalog) -> LakeObject[SchemaDefinition]:
    return LakeObject(
        new.catalog_id,
        new.schema_id,
        new.first_snapshot,
        "schema",
        SchemaId(0),
        DEFAULT_SCHEMA,
        str(uuid4()),
        f"{DEFAULT_SCHEMA}/",
        SchemaDefinition(),
    )


def rename_statement(catalog_id: CatalogId, new_name: str) -> Statement:
    return Statement(
        "UPDATE lake_catalog SET catalog_name = :name WHERE catalog_id = :catalog_id",
        {"name": new_name, "catalog_id": catalog_id},
    )


def draw_end(dialect: StoreDialect) -> Statement:
    """Allocates the snapshot id at which a catalog ends."""
    return Statement(dialect.next_ids("snapshot"), {"count": 1})


def end_catalog(catalog_id: CatalogId, drawn: list[Row]) -> list[Statement]:
    """Marks a catalog as dropped; deletes its lineage and the snapshots that no fork can travel to.

    Other rows it wrote are kept while a fork can see them.
    """
    mine = {"catalog_id": catalog_id}
    [end] = read_drawn_ids(drawn, 1)
    return [
        Statement(
            "UPDATE lake_catalog SET end_snapshot = :end_snapshot WHERE catalog_id = :catalog_id",
            {**mine, "end_snapshot": end},
        ),
        Statement("DELETE FROM lake_catalog_ancestor WHERE catalog_id = :catalog_id", mine),
        Statement(
            "DELETE FROM lake_snapshot WHERE catalog_id = :catalog_id AND snapshot_id > coalesce("
            "(SELECT max(max_snapshot) FROM lake_catalog_ancestor"
            " WHERE ancestor_id = :catalog_id AND depth > 0), -1)",
            mine,
        ),
    ]


def lock_live_catalog(dialect: StoreDialect, catalog_id: CatalogId) -> Statement:
    """Excludes commits, forks and expiry of a catalog; returns no row if it was dropped."""
    return Statement(
        "SELECT catalog_id FROM lake_catalog WHERE catalog_id = :catalog_id AND end_snapshot IS NULL"
        f" {dialect.own_catalog}",
        {"catalog_id": catalog_id},
    )


def name_taken_statement(name: str) -> Statement:
    """Whether a live catalog has this name."""
    return Statement("SELECT 1 FROM lake_catalog WHERE catalog_name = :name AND end_snapshot IS NULL", {"name": name})


def folder_taken_statement(folder: str) -> Statement:
    """Whether a catalog, live or dropped, has this folder."""
    return Statement("SELECT 1 FROM lake_catalog WHERE path = :folder", {"folder": folder})


def unique_folder(folder: str, uuid: str) -> str:
    return f"{folder[:MAX_FOLDER]}-{uuid}"
