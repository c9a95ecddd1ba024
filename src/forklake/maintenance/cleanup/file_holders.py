"""The catalogs that keep a file, given by a path as users write it."""

from forklake.catalog.lakes.lake import Lake
from forklake.catalog.retention import file_holders as retention
from forklake.spark.storage.storage import Storage


def file_holders(
    lake: Lake, storage: Storage, path: str, *, limit: int = retention.MOST_HOLDERS
) -> list[retention.FileHolder]:
    """The catalogs and snapshots that keep a file; the path is absolute or relative to the data path."""
    return retention.file_holders(lake, storage.stored_path(path), limit=limit)
