"""What a session keeps of its scans, so that later ones need not be made again: relations, named views, positions."""

import weakref
from collections import deque
from contextlib import suppress
from itertools import count
from uuid import uuid4

import numpy as np
from pyspark.sql import Column, DataFrame, SparkSession

from forklake.model.lru_cache import LruCache
from forklake.model.process_forks import register_for_forks

_KILOBYTES = 100_000
"""Maximum size of each cache, in the memory of the driver."""


class ScanCache:
    """The caches of one Spark session, and the temporary views that they need."""

    def __init__(self, kilobytes: int = _KILOBYTES) -> None:
        self.relations: LruCache[bytes, DataFrame] = LruCache(kilobytes)
        """Relations over lists of files."""
        self.scans: LruCache[tuple[object, ...], NamedScan] = LruCache(kilobytes)
        """Scans that queries name, by what decides about their rows."""
        self.positions: LruCache[tuple[str, int | None], np.ndarray] = LruCache(kilobytes)
        """Contents of delete files."""
        self.columns: LruCache[tuple[str, bool], Column] = LruCache()
        """Columns of any DataFrame as they are written, by what they are and whether they had the type."""
        self._prefix = f"__forklake_{uuid4().hex[:12]}_"
        self._numbers = count()

    def name_scan(self, frame: DataFrame, columns: tuple[str, ...] = ()) -> "NamedScan":
        """A temporary view over a DataFrame, which is dropped some time after the last reference to the result."""
        return NamedScan(f"{self._prefix}{next(self._numbers)}", frame, columns)

    def clear(self) -> None:
        """Forget everything, and drop the views that nobody else refers to."""
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
        # Runs in the middle of anything: no more than one step, and no call to the JVM.
        weakref.finalize(self, _UNUSED.views.append, (frame.sparkSession, name)).atexit = False

    def show(self) -> None:
        """Let Spark know the name."""
        self.frame.createOrReplaceTempView(self.name)


class _UnusedViews:
    """Views that nothing refers to any more. They may outlive the session that has made them."""

    def __init__(self) -> None:
        self.views: deque[tuple[SparkSession, str]] = deque()
        register_for_forks(self)

    def before_fork(self) -> None:
        """Views stay with the process that has made them."""

    def after_fork(self) -> None:
        self.views.clear()


_UNUSED = _UnusedViews()


def drop_unused_views() -> None:
    """Drop the views whose scans are gone."""
    while _UNUSED.views:
        spark, name = _UNUSED.views.popleft()
        # A session that was stopped has no views any more, and fails in many ways.
        with suppress(Exception):
            spark.catalog.dropTempView(name)
