"""Create, find, list, rename and drop catalogs. A tenant is a catalog."""

from collections.abc import Iterator
from typing import NamedTuple
from uuid import uuid4

from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.retry import with_retries
from forklake.errors import AlreadyExists, NoSuchCatalog
from forklake.model.ids import CatalogId
from forklake.model.lineage import Lineage
from forklake.model.names import check_catalog_name, did_you_mean, path_segment
from forklake.model.snapshots import CatalogInfo
from forklake.store import catalogs as rows
from forklake.store.catalog_writes import (
    draw_end,
    end_catalog,
    insert_catalog,
    lock_live_catalog,
    name_taken_statement,
    prepare_catalog,
    read_new_catalog,
    rename_statement,
    unique_folder,
)

_PAGE = 1000


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
    return _catalog_handle(lake, *existing)


def catalog_uuid(lake: Lake, name: str) -> str | None:
    """The permanent id of a live catalog, independent of its name."""
    found = rows.find_catalog(lake.store, name)
    return found[0].uuid if found else None


def find_catalog(lake: Lake, name: str, *, read_only: bool = False, otherwise: str = "") -> Catalog:
    """The live catalog with this name; `otherwise` is the advice shown if there is none."""
    found = rows.find_catalog(lake.store, check_catalog_name(name))
    if found is None:
        raise NoSuchCatalog(_unknown_catalog_text(lake, name, otherwise))
    return _catalog_handle(lake, *found, read_only=read_only)


def catalog_info(catalog: Catalog) -> CatalogInfo:
    """The current state of the catalog."""
    found = rows.catalog_with_id(catalog.lake.store, catalog.catalog_id)
    if found is None:
        raise NoSuchCatalog(f"Catalog '{catalog.name}' was dropped.")
    return found[0]


def list_catalogs(lake: Lake, *, parent: Catalog | None = None) -> Iterator[CatalogInfo]:
    """Live catalogs by name, read page by page; with `parent` only its forks."""
    after = ""
    parent_id = parent.catalog_id if parent else None
    while page := rows.list_catalogs(lake.store, after=after, limit=_PAGE, parent_id=parent_id):
        yield from page
        after = page[-1].name


class ListedCatalog(NamedTuple):
    """A live catalog, and the name of the one that it was forked from."""

    info: CatalogInfo
    parent: str | None
    """None for a root, and for a fork whose parent was dropped."""


def list_with_parents(lake: Lake) -> list[ListedCatalog]:
    """All live catalogs by name."""
    infos = list(list_catalogs(lake))
    names = {info.catalog_id: info.name for info in infos}
    return [ListedCatalog(info, None if info.parent_id is None else names.get(info.parent_id)) for info in infos]


def rename_catalog(lake: Lake, name: str, new_name: str) -> Catalog:
    """Rename a live catalog. Its folder, forks and history remain unchanged."""
    check_catalog_name(new_name)
    catalog = find_catalog(lake, name)
    catalog.check_writable()
    if new_name == name:
        return catalog
    with_retries(
        lake,
        lambda: _rename(lake, catalog.catalog_id, name, new_name),
        landed=lambda: True if catalog_info(catalog).name == new_name else None,
    )
    return find_catalog(lake, new_name)


def drop_catalog(lake: Lake, name: str) -> None:
    """Drop a catalog: its name is free immediately, and what its forks can see is kept for them.

    Maintenance releases its files when nothing can see them.
    """
    catalog = find_catalog(lake, name)
    catalog.check_writable()
    with_retries(
        lake,
        lambda: _drop(lake, catalog.catalog_id, name),
        landed=lambda: True if rows.catalog_with_id(lake.store, catalog.catalog_id) is None else None,
    )


def _create(lake: Lake, name: str, uuid: str) -> bool:
    folder = path_segment(name, uuid)
    with lake.store.writing(prepare_catalog(lake.store.dialect, name, folder)) as (transaction, answers):
        new = read_new_catalog(answers)
        if new.is_name_taken:
            raise AlreadyExists(f"Catalog '{name}' already exists.")
        folder = unique_folder(folder, uuid) if new.is_folder_taken else folder
        transaction.commit(insert_catalog(new, name, uuid, folder))
    return True


def _rename(lake: Lake, catalog_id: CatalogId, name: str, new_name: str) -> bool:
    first = [lock_live_catalog(lake.store.dialect, catalog_id), name_taken_statement(new_name)]
    with lake.store.writing(first) as (transaction, (locked, existing)):
        if not locked:
            raise NoSuchCatalog(f"Catalog '{name}' was dropped.")
        if existing:
            raise AlreadyExists(f"Catalog '{new_name}' already exists.")
        transaction.commit([rename_statement(catalog_id, new_name)])
    return True


def _drop(lake: Lake, catalog_id: CatalogId, name: str) -> bool:
    first = [lock_live_catalog(lake.store.dialect, catalog_id), draw_end(lake.store.dialect)]
    with lake.store.writing(first) as (transaction, (locked, drawn)):
        if not locked:
            raise NoSuchCatalog(f"Catalog '{name}' was dropped.")
        transaction.commit(end_catalog(catalog_id, drawn))
    return True


def _catalog_handle(lake: Lake, info: CatalogInfo, lineage: Lineage, *, read_only: bool = False) -> Catalog:
    return Catalog(lake, info.catalog_id, info.name, info.path, lineage, read_only)


def _unknown_catalog_text(lake: Lake, name: str, otherwise: str) -> str:
    hint = did_you_mean(name, rows.similar_names(lake.store, name), otherwise)
    return f"Catalog '{name}' does not exist in this DuckLake instance.{hint}"
