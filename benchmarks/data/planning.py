"""Handing Spark the files of a table takes less time than letting it list their folder."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial

from pyspark.sql import types as st

from benchmarks.data.bench import Bench, Stored
from benchmarks.data.small_files import CATALOG, TABLE, add_files, copy_file
from benchmarks.databases import Backend
from benchmarks.report import Figure, against, at_most
from benchmarks.timing import measure_in_turns
from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.planning.scan_planning import plan_scan
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.model.lru_cache import LruCache

NAME = "planning"
LIMIT = 0.333
_BACKENDS: tuple[Backend, ...] = ("sqlite", "postgres")
_ROWS = 100
_WARM_UP = 8
"""Spark gets ten times as fast at taking a list of files while the JVM compiles what it does."""


def planning(bench: Bench) -> Iterator[Figure]:
    """A DataFrame over very many files until it is analysed; no file is read.

    A session keeps the lists of its scans: both are measured, a list that it has and one that it has not.
    """
    files = bench.sizes.planned_files
    for backend in _BACKENDS:
        stored = bench.new_table(backend)
        folder = stored.data / "planned"
        copy_file(folder, files, _ROWS)
        add_files(stored.place, stored.data, folder, alike=True)
        stored.place.settle()
        schema = stored.table.to_spark().schema
        with closing(open_lake(stored.place.url)) as lake:
            actions = {
                "ours": partial(_plan_ours, stored),
                "first": partial(_plan_first, bench, stored),
                "metadata": partial(_plan_metadata, find_catalog(lake, CATALOG)),
                "folder": partial(_plan_folder, bench, folder.as_uri(), schema),
            }
            times = measure_in_turns(actions, bench.sizes.rounds, warm_up=_WARM_UP)
        label = f"{files:,} files"
        yield against(NAME, backend, f"{label} : listing their folder", times["ours"], times["folder"], at_most(LIMIT))
        yield against(
            NAME, backend, f"{label} never scanned before : listing their folder", times["first"], times["folder"]
        )
        yield against(NAME, backend, f"{label}, the metadata's part of it", times["metadata"], times["ours"])


def _plan_ours(stored: Stored) -> None:
    assert stored.table.to_spark().columns


def _plan_first(bench: Bench, stored: Stored) -> None:
    bench.session._state.provider.cache.relations = LruCache()
    _plan_ours(stored)


def _plan_metadata(catalog: Catalog) -> None:
    tx = begin(catalog)
    assert plan_scan(tx, get_table(tx, "main", TABLE)).files


def _plan_folder(bench: Bench, folder: str, schema: st.StructType) -> None:
    assert bench.spark.read.schema(schema).parquet(folder).columns
