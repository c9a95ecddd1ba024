"""File lists read by a Spark Connect server, kept in the storage of the lake as long as they may be needed.

A DataFrame of Spark Connect is a description that the server plans for each query, so its list must be kept. There is
no notification when the last description is gone, because PySpark makes copies, for example in `spark.sql`. So a list
is deleted one hour after nothing here refers to it, or at process exit; lists of killed processes are orphans.
"""

import atexit
import os
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from forklake.spark.storage.storage import Storage
from forklake.spark.tasks.files.file_names import uuid7

if TYPE_CHECKING:
    # Maintenance uses `is_stored_file_list` and starts without Spark.
    from pyspark.sql import DataFrame

    from forklake.spark.work import Work

LOG = "_spark_metadata/0"
"""Where Spark looks for a list, relative to the given folder."""
_FOLDER = "_scans"
_KEPT_SECONDS = 3600


class _StoredFileLists:
    """The lists of this process, and since when they are unreferenced."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, str], float] = {}
        self._storages: dict[str, Storage] = {}
        self._process = os.getpid()

    def add(self, storage: Storage, folder: str, reader: object) -> None:
        """Register a list that is needed by `reader` and everything that refers to it."""
        self._storages[storage.root] = storage
        self._since[storage.root, folder] = float("inf")
        weakref.finalize(reader, self._mark_unused, storage.root, folder).atexit = False

    def _mark_unused(self, root: str, folder: str) -> None:
        # May run at any point: only a single step, and no I/O.
        self._since[root, folder] = monotonic()

    def remove_unused(self) -> None:
        """Delete the lists that have been unreferenced for an hour."""
        before = monotonic() - _KEPT_SECONDS
        self._remove([left for left, since in list(self._since.items()) if since < before])

    def remove_all(self) -> None:
        # A forked child process must not delete the lists of its parent.
        if os.getpid() == self._process:
            self._remove(list(self._since))

    def _remove(self, lists: list[tuple[str, str]]) -> None:
        for root, folder in lists:
            if self._since.pop((root, folder), None) is not None:
                storage = self._storages[root]
                with suppress(OSError):
                    storage.files.delete_dir(storage.path(folder))


_LISTS = _StoredFileLists()
atexit.register(_LISTS.remove_all)


def store_file_list(work: "Work", log: str, read: "Callable[[str], DataFrame]") -> "DataFrame":
    """Write a list to the folder of the catalog, and read it from there."""
    _LISTS.remove_unused()
    storage, folder = work.storage, f"{work.tx.catalog.path}/{_FOLDER}/{uuid7()}"
    path = storage.path(f"{folder}/{LOG}")
    storage.files.create_dir(path.rpartition("/")[0])
    with storage.files.open_output_stream(path) as stream:
        stream.write(log.encode())
    frame = read(storage.folder(folder))
    # DataFrames come and go, but everything derived from them refers to their plan. `_plan` is not public, but no
    # public object shows when a description is gone.
    _LISTS.add(storage, folder, frame._plan)
    return frame


def keep_file_lists(frame: "DataFrame", sources: "Iterable[DataFrame]") -> None:
    """Let a client's frame refer to the lists of its sources, which `spark.sql` alone does not."""
    vars(frame._plan)["forklake_sources"] = [source._plan for source in sources]


def is_stored_file_list(path: str) -> bool:
    """Whether the path is that of a list."""
    return f"/{_FOLDER}/" in path and path.endswith(f"/{LOG}")
