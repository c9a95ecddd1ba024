"""Which files catalogs refer to, which catalogs retain a file, and what dropping a catalog would free."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.store import holders as rows

MOST_HOLDERS = 1000
_SOME_FORKS = 20


@dataclass(frozen=True, slots=True)
class FileHolder:
    """A catalog that retains a file.

    Either its own snapshots show the file, or it was forked in the file's lifetime, or the file is scheduled for
    deletion since a certain time.
    """

    catalog_name: str
    reason: str
    """`snapshots`, `fork` or `waiting`."""
    first_snapshot: int | None = None
    last_snapshot: int | None = None
    snapshots: int = 0
    since: datetime | None = None


def file_holders(lake: Lake, path: str, *, limit: int = MOST_HOLDERS) -> list[FileHolder]:
    """The catalogs that retain a file, given by its path relative to the data path; empty if there are none."""
    found = [
        FileHolder(
            holder.catalog_name,
            "fork" if holder.is_fork else "snapshots",
            holder.first_snapshot,
            holder.last_snapshot,
            holder.snapshots,
        )
        for holder in rows.file_holders(lake.store, path, limit)
    ]
    return found + [FileHolder(name, "waiting", since=since) for name, since in rows.waiting_since(lake.store, path)]


@dataclass(frozen=True, slots=True)
class CatalogStorage:
    """The files retained by a catalog for all its snapshots: exclusively, and shared with other catalogs."""

    catalog_name: str
    files_alone: int
    bytes_alone: int
    files_shared: int
    bytes_shared: int


@dataclass(frozen=True, slots=True)
class DropReport:
    """What dropping a catalog would free, and which of its own files its forks would still retain."""

    catalog_name: str
    files_freed: int
    bytes_freed: int
    files_kept: int
    bytes_kept: int
    forks: int
    some_forks: tuple[str, ...]


def catalog_storage(catalog: Catalog) -> CatalogStorage:
    """The storage retained by a catalog; the exclusive part would be freed by dropping it."""
    own, inherited = _own_and_inherited_share(catalog)
    both = own + inherited
    return CatalogStorage(
        catalog.name, both.files_alone, both.size_alone, both.files - both.files_alone, both.size - both.size_alone
    )


def drop_report(lake: Lake, name: str) -> DropReport:
    """The effect on files if a catalog were dropped. Changes nothing."""
    catalog = find_catalog(lake, name)
    own, inherited = _own_and_inherited_share(catalog)
    forks, some = rows.forks_of(lake.store, catalog.catalog_id, _SOME_FORKS)
    return DropReport(
        name,
        own.files_alone + inherited.files_alone,
        own.size_alone + inherited.size_alone,
        own.files - own.files_alone,
        own.size - own.size_alone,
        forks,
        tuple(some),
    )


def _own_and_inherited_share(catalog: Catalog) -> tuple[rows.Share, rows.Share]:
    store = catalog.lake.store
    own = rows.own_share(store, catalog.catalog_id)
    inherited = [rows.inherited_share(store, catalog.catalog_id, level) for level in catalog.lineage.ancestors]
    return own, sum(inherited, rows.Share())


def known_paths(lake: Lake, paths: Collection[str], *, ignore_case: bool = False) -> set[str]:
    """Those of the paths that any catalog of the lake refers to as data, delete or scheduled file.

    With `ignore_case` they must be casefolded, and all paths of the lake are read.
    """
    return rows.known_paths(lake.store, paths, ignore_case=ignore_case) if paths else set()


def newest_path(lake: Lake) -> str | None:
    """The newest data file below the data path; None if there is none."""
    return rows.newest_path(lake.store)


def catalog_folders(lake: Lake, folders: Collection[str]) -> set[str]:
    """Those of the folders that belong to a catalog, live or dropped."""
    return rows.catalog_folders(lake.store, folders) if folders else set()
