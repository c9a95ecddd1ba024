"""Files and folders that catalogs know."""

from collections.abc import Collection

from forklake.catalog.lakes.lake import Lake
from forklake.store import known_paths as rows


def known_paths(lake: Lake, paths: Collection[str], *, ignore_case: bool = False) -> set[str]:
    """Those of the paths that any catalog of the lake names: its data, its deletes, or what waits for deletion.

    Without regard to case they must be given casefolded, and all rows of the lake are read for it.
    """
    return rows.known_paths(lake.store, paths, ignore_case=ignore_case) if paths else set()


def newest_path(lake: Lake) -> str | None:
    """The newest data file below the data path; None if there has been none."""
    return rows.newest_path(lake.store)


def catalog_folders(lake: Lake, folders: Collection[str]) -> set[str]:
    """Those of the folders that are a catalog's own, also of one that was dropped."""
    return rows.catalog_folders(lake.store, folders) if folders else set()
