"""Relations over files that later scans may ask for again."""

from collections import OrderedDict
from threading import Lock

from pyspark.sql import DataFrame


class KeptRelations:
    """The relations of a session that were asked for last: so many, of so many files together."""

    def __init__(self, most: int = 256, most_files: int = 100_000) -> None:
        # Spark holds about a kilobyte for each file.
        self._most = most
        self._most_files = most_files
        self._relations: OrderedDict[bytes, tuple[DataFrame, int]] = OrderedDict()
        self._files = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._relations)

    def get(self, key: bytes) -> DataFrame | None:
        with self._lock:
            if key not in self._relations:
                return None
            self._relations.move_to_end(key)
            return self._relations[key][0]

    def add(self, key: bytes, frame: DataFrame, files: int) -> None:
        with self._lock:
            if key in self._relations or files > self._most_files:
                return
            self._relations[key] = (frame, files)
            self._files += files
            while self._files > self._most_files or len(self) > self._most:
                _, (_, gone) = self._relations.popitem(last=False)
                self._files -= gone
