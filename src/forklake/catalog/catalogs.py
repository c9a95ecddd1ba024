"""Create, find, list, rename and drop catalogs. A tenant is a catalog."""

from collections.abc import Iterator
from uuid import uuid4

from forklake.catalog.lake import Catalog, Lake
from forklake.catalog.retry import with_retries
from forklake.errors import AlreadyExists, NoSuchCatalog
from forklake.model.changes import CreatedCatalog, CreatedSchema, format_changes
from forklake.model.entities import LakeObject, SchemaDefinition
from forklake.model.ids import CatalogId, SchemaId, SnapshotId
from forklake.model.lineage import NO_LIMIT, Lineage
from forklake.model.names import check_catalog_name, closest, path_segment
from forklake.model.snapshots import CatalogInfo
from forklake.store import catalogs as rows
from forklake.store.connection import Rows, Statement
from forklake.store.dialect import drawn_ids
from forklake.store.objects import object_row

MAIN_SCHEMA = "main"
_PAGE = 1000
_MAX_FOLDER = 200


def create_catalog(lake: Lake, name: str, *, if_not_exists: bool = False) -> Catalog:
    """Create an empty catalog with the schema `main`, in one transaction."""
    check_catalog_name(name)
    existing = rows.find_catalog(lake.store, name)
    uuid = str(uuid4())
    if existing is None:
        try:
            with_retries(
                lake,
                lambda: _create(lake, name, uuid),
                landed=lambda: True if catalog_uuid(lake, name) == uuid else None,
            )
        except AlreadyExists:
            if not if_not_exists:
                raise
        return find_catalog(lake, name)
    if not if_not_exists:
        raise AlreadyExists(f"Catalog '{name}' already exists.")
    return _handle(lake, *existing)


def catalog_uuid(lake: Lake, name: str) -> str | None:
    """By what a live catalog is known for ever, whatever its name becomes."""
    found = rows.find_catalog(lake.store, name)
    return found[0].uuid if found else None


def _create(lake: Lake, name: str, uuid: str) -> bool:
    dialect = lake.store.dialect
    folder = path_segment(name, uuid)
    first = [
        Statement(dialect.next_ids("entity"), {"count": 2}),
        Statement(dialect.next_ids("snapshot"), {"count": 1}),
        Statement(f"SELECT {dialect.clock}", {}),
        Statement("SELECT 1 FROM lake_catalog WHERE path = :folder", {"folder": folder}),
        Statement("SELECT 1 FROM lake_catalog WHERE catalog_name = :name AND end_snapshot IS NULL", {"name": name}),
    ]
    with lake.store.writing(first) as (transaction, (ids, births, clock, taken, existing)):
        if existing:
            raise AlreadyExists(f"Catalog '{name}' already exists.")
        catalog_id, schema_id = (CatalogId(drawn_ids(ids, 2)[0]), drawn_ids(ids, 2)[1])
        birth = SnapshotId(drawn_ids(births, 1)[0])
        time = clock[0][0]
        if taken:
            folder = f"{folder[:_MAX_FOLDER]}-{uuid}"
        main = LakeObject(
            catalog_id,
            schema_id,
            birth,
            "schema",
            SchemaId(0),
            MAIN_SCHEMA,
            str(uuid4()),
            f"{MAIN_SCHEMA}/",
            SchemaDefinition(),
        )
        changes = format_changes([CreatedCatalog(name), CreatedSchema(MAIN_SCHEMA)])
        transaction.commit(
            [
                Rows(
                    "lake_catalog",
                    [(catalog_id, uuid, name, folder, None, None, 0, birth, None, birth, time, 0)],
                ),
                Rows("lake_catalog_ancestor", [(catalog_id, 0, catalog_id, NO_LIMIT)]),
                Rows("lake_object", [object_row(main)]),
                Rows("lake_snapshot", [(catalog_id, birth, None, time, 0, changes, None, None, None, None)]),
            ]
        )
    return True


def find_catalog(lake: Lake, name: str, *, read_only: bool = False) -> Catalog:
    """The live catalog of this name, ready to be read and written."""
    found = rows.find_catalog(lake.store, check_catalog_name(name))
    if found is None:
        raise NoSuchCatalog(_unknown(lake, name))
    return _handle(lake, *found, read_only=read_only)


def catalog_info(catalog: Catalog) -> CatalogInfo:
    """The catalog as it is now."""
    found = rows.catalog_with_id(catalog.lake.store, catalog.catalog_id)
    if found is None:
        raise NoSuchCatalog(f"Catalog '{catalog.name}' was dropped.")
    return found[0]


def list_catalogs(lake: Lake, *, parent: Catalog | None = None) -> Iterator[CatalogInfo]:
    """Live catalogs by name, read a page at a time; only the forks of `parent` if given."""
    after = ""
    parent_id = parent.catalog_id if parent else None
    while page := rows.list_catalogs(lake.store, after=after, limit=_PAGE, parent_id=parent_id):
        yield from page
        after = page[-1].name


def rename_catalog(lake: Lake, name: str, new_name: str) -> Catalog:
    """Give a live catalog another name. Its folder, its forks and its history stay as they are."""
    check_catalog_name(new_name)
    catalog = find_catalog(lake, name)
    catalog.check_writable()
    with_retries(
        lake,
        lambda: _rename(lake, catalog, new_name),
        landed=lambda: True if catalog_info(catalog).name == new_name else None,
    )
    return find_catalog(lake, new_name)


def _rename(lake: Lake, catalog: Catalog, new_name: str) -> bool:
    taken = Statement(
        "SELECT 1 FROM lake_catalog WHERE catalog_name = :name AND end_snapshot IS NULL", {"name": new_name}
    )
    with lake.store.writing([_lock(lake, catalog), taken]) as (transaction, (locked, existing)):
        if not locked:
            raise NoSuchCatalog(f"Catalog '{catalog.name}' was dropped.")
        if existing:
            raise AlreadyExists(f"Catalog '{new_name}' already exists.")
        update = "UPDATE lake_catalog SET catalog_name = :name WHERE catalog_id = :catalog_id"
        transaction.commit([Statement(update, {"name": new_name, "catalog_id": catalog.catalog_id})])
    return True


def drop_catalog(lake: Lake, name: str) -> None:
    """Drop a catalog: its name is free at once, and what its forks still see is kept for them.

    Its files are released by maintenance when nobody can see them any more.
    """
    catalog = find_catalog(lake, name)
    catalog.check_writable()
    with_retries(
        lake,
        lambda: _drop(lake, catalog),
        landed=lambda: True if rows.catalog_with_id(lake.store, catalog.catalog_id) is None else None,
    )


def _drop(lake: Lake, catalog: Catalog) -> bool:
    dialect = lake.store.dialect
    first = [_lock(lake, catalog), Statement(dialect.next_ids("snapshot"), {"count": 1})]
    with lake.store.writing(first) as (transaction, (locked, ids)):
        if not locked:
            raise NoSuchCatalog(f"Catalog '{catalog.name}' was dropped.")
        mine = {"catalog_id": catalog.catalog_id}
        [end] = drawn_ids(ids, 1)
        transaction.commit(
            [
                Statement(
                    "UPDATE lake_catalog SET end_snapshot = :end_snapshot WHERE catalog_id = :catalog_id",
                    {**mine, "end_snapshot": end},
                ),
                Statement("DELETE FROM lake_catalog_ancestor WHERE catalog_id = :catalog_id", mine),
                Statement("DELETE FROM lake_snapshot WHERE catalog_id = :catalog_id", mine),
            ]
        )
    return True


def _lock(lake: Lake, catalog: Catalog) -> Statement:
    """Keeps out commits, forks and expiry of the catalog; no row if it was dropped."""
    return Statement(
        "SELECT catalog_id FROM lake_catalog WHERE catalog_id = :catalog_id AND end_snapshot IS NULL"
        f" {lake.store.dialect.own_catalog}",
        {"catalog_id": catalog.catalog_id},
    )


def _handle(lake: Lake, info: CatalogInfo, lineage: Lineage, *, read_only: bool = False) -> Catalog:
    return Catalog(lake, info.catalog_id, info.name, info.path, lineage, read_only)


def _unknown(lake: Lake, name: str) -> str:
    nearest = closest(name, rows.similar_names(lake.store, name))
    hint = f" Did you mean '{nearest}'?" if nearest else " Set CREATE_IF_NOT_EXISTS true to create it."
    return f"Catalog '{name}' does not exist in this DuckLake instance.{hint}"
