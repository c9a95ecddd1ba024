"""Lists of files that a Spark on another machine reads: they lie in the lake's storage for as long as they may be asked
for.

A DataFrame over Spark Connect is a description that the server makes a plan of whenever it is asked, so its list has to
stay. Nobody tells when the last description is gone, because PySpark makes copies, `spark.sql` for one. So a list goes
an hour after nothing here refers to it, or when the process ends; what a killed process has left are orphans.
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
    # Maintenance asks what is a list, and starts without Spark.
    from pyspark.sql import DataFrame

    from forklake.spark.work import Work

LOG = "_spark_metadata/0"
"""Where Spark looks for a list, below the folder that it is given."""
_FOLDER = "_scans"
_KEPT_SECONDS = 3600


class _StoredFileLists:
    """The lists of this process, and since when nothing refers to them."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, str], float] = {}
        self._storages: dict[str, Storage] = {}
        self._process = os.getpid()

    def add(self, storage: Storage, folder: str, reader: object) -> None:
        """Remember a list that `reader` and whoever refers to it may ask for."""
        self._storages[storage.root] = storage
        self._since[storage.root, folder] = float("inf")
        weakref.finalize(reader, self._unused, storage.root, folder).atexit = False

    def _unused(self, root: str, folder: str) -> None:
        # Runs in the middle of anything: no more than one step, and no input or output.
        self._since[root, folder] = monotonic()

    def remove_unused(self) -> None:
        """Remove the lists that nothing has referred to for an hour."""
        before = monotonic() - _KEPT_SECONDS
        self._remove([left for left, since in list(self._since.items()) if since < before])

    def remove_all(self) -> None:
        # A process that was forked off leaves alone what is its parent's.
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
    """Write a list into the catalog's folder, and read it from there."""
    _LISTS.remove_unused()
    storage, folder = work.storage, f"{work.tx.catalog.path}/{_FOLDER}/{uuid7()}"
    path = storage.path(f"{folder}/{LOG}")
    storage.files.create_dir(path.rpartition("/")[0])
    with storage.files.open_output_stream(path) as stream:
        stream.write(log.encode())
    frame = read(storage.folder(folder))
    # DataFrames come and go; what they describe is referred to by all that are made of it. `_plan` is not public, but
    # nothing that is tells when a description is gone.
    _LISTS.add(storage, folder, frame._plan)
    return frame


def keep_file_lists(frame: "DataFrame", sources: "Iterable[DataFrame]") -> None:
    """Let a frame of a client refer to the lists of what it was made of: `spark.sql` alone would not."""
    vars(frame._plan)["forklake_sources"] = [source._plan for source in sources]


def is_stored_file_list(path: str) -> bool:
    """Whether a path is that of a list."""
    return f"/{_FOLDER}/" in path and path.endswith(f"/{LOG}")
