"""Files and folders known to catalogs."""

from collections.abc import Collection

from forklake.catalog.lakes.lake import Lake
from forklake.store import known_paths as rows


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
