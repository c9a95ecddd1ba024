"""Files that catalogs know."""

from collections.abc import Collection

from forklake.catalog.lake import Lake
from forklake.store import known_paths as rows


def known_paths(lake: Lake, paths: Collection[str]) -> set[str]:
    """Those of the paths that any catalog of the lake names: its data, its deletes, or what waits for deletion."""
    return rows.known_paths(lake.store, paths) if paths else set()
