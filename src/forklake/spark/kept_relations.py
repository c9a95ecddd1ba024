"""Relations over files that later scans may ask for again."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from pyspark.sql import DataFrame


class KeptRelations:
    """The relations of a session that were asked for last: so many, of so many kilobytes together."""

    def __init__(self, most: int = 256, most_kilobytes: int = 100_000) -> None:
        self._most = most
        self._most_kilobytes = most_kilobytes
        self._relations: OrderedDict[bytes, tuple[DataFrame, int]] = OrderedDict()
        self._kilobytes = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._relations)

    def get(self, key: bytes, make: Callable[[], DataFrame], kilobytes: int) -> DataFrame:
        """The relation of a key, made now if it is not kept."""
        with self._lock:
            if key in self._relations:
                self._relations.move_to_end(key)
                return self._relations[key][0]
        # Two may make the same at the same time; either will do.
        frame = make()
        if kilobytes <= self._most_kilobytes:
            self._keep(key, frame, kilobytes)
        return frame

    def _keep(self, key: bytes, frame: DataFrame, kilobytes: int) -> None:
        with self._lock:
            if key in self._relations:
                return
            self._relations[key] = (frame, kilobytes)
            self._kilobytes += kilobytes
            while self._kilobytes > self._most_kilobytes or len(self) > self._most:
                _, (_, gone) = self._relations.popitem(last=False)
                self._kilobytes -= gone
