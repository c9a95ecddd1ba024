"""Caches of a Spark session for reuse in later scans: relations, named views, positions."""

from __future__ import annotations

import os
import weakref
from collections import deque
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING
from uuid import uuid4

from forklake.model.lru_cache import LruCache

if TYPE_CHECKING:
    import numpy as np
    from pyspark.sql import Column, DataFrame, SparkSession

_KILOBYTES = 100_000
"""Maximum size of each cache, in the memory of the driver."""


class ScanCache:
    """The caches of one Spark session, and the temporary views they need."""

    def __init__(self, kilobytes: int = _KILOBYTES) -> None:
        self.relations: LruCache[bytes, DataFrame] = LruCache(kilobytes)
        """Relations over file lists."""
        self.scans: LruCache[tuple[object, ...], NamedScan] = LruCache(kilobytes)
        """Named scans, by what determines their rows."""
        self.positions: LruCache[tuple[str, int | None], np.ndarray] = LruCache(kilobytes)
        """Contents of delete files."""
        self.columns: LruCache[tuple[str, bool], Column] = LruCache()
        """Converted columns for writing, by their properties and whether they already had the type."""
        self._prefix = f"__forklake_{uuid4().hex[:12]}_"
        self._numbers = count()

    def name_scan(self, frame: DataFrame, columns: tuple[str, ...] = ()) -> NamedScan:
        """A temporary view over a DataFrame, dropped some time after the last reference to the result."""
        return NamedScan(f"{self._prefix}{next(self._numbers)}", frame, columns)

    def clear(self) -> None:
        """Clear all caches, and drop the views that are not referenced elsewhere."""
        for cache in (self.relations, self.scans, self.positions, self.columns):
            cache.clear()
        drop_unused_views()


class NamedScan:
    """Rows that Spark knows by the name of a temporary view."""

    def __init__(self, name: str, frame: DataFrame, columns: tuple[str, ...]) -> None:
        self.name = name
        self.frame = frame
        self.columns = columns
        self.show()
        # May run at any point: only a single step, and no JVM calls.
        weakref.finalize(self, _UNUSED.append, (os.getpid(), frame.sparkSession, name)).atexit = False

    def show(self) -> None:
        """Register the name in Spark."""
        self.frame.createOrReplaceTempView(self.name)


_UNUSED: deque[tuple[int, SparkSession, str]] = deque()
"""Views that nothing refers to any more, with the process that created them. They may outlive their session."""


def drop_unused_views() -> None:
    """Drop the views whose scans were garbage-collected, except those of the process that this one was forked from."""
    while _UNUSED:
        process, spark, name = _UNUSED.popleft()
        if process != os.getpid():
            continue
        # A stopped session has no views, and fails in various ways.
        with suppress(Exception):
            spark.catalog.dropTempView(name)
