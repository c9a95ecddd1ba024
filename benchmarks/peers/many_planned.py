"""From a statement to the tasks that would read all files of a table, none of which is read."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame

from benchmarks.data.rows import COLUMNS
from benchmarks.data.small_files import TABLE, add_files, copy_file
from benchmarks.databases import Backend
from benchmarks.peers.bench import Bench
from benchmarks.peers.forklake_engine import Forklake
from benchmarks.peers.spark_engines import Delta, Iceberg
from benchmarks.report import Figure, against, at_most
from benchmarks.timing import measure_in_turns

NAME = "small"
LIMIT = 1.0
_PEERS_PART = 10
"""The peers plan so many times fewer files: registering all of them would take minutes."""
_ROWS = 100
_WARM_UP = 4
"""Spark gets much faster at taking a list of files while the JVM compiles what it does."""


def planning(bench: Bench) -> Iterator[Figure]:
    """A table of many files on everything, and one of very many in ours beside a listing of its folder."""
    few = max(1, bench.sizes.planned_files // _PEERS_PART)
    yield from _planning(bench, few, ("sqlite", "postgres"), peers=True)
    yield from _planning(bench, bench.sizes.planned_files, ("sqlite",), peers=False)


def _planning(bench: Bench, files: int, backends: tuple[Backend, ...], *, peers: bool) -> Iterator[Figure]:
    with ExitStack() as stack:
        ours = {backend: stack.enter_context(closing(bench.forklake(backend))) for backend in backends}
        folders = {backend: _register(engine, files) for backend, engine in ours.items()}
        folder = folders[backends[0]]
        schema = next(iter(ours.values())).catalog.table(TABLE).to_spark().schema
        actions: dict[str, Callable[[], object]] = {
            backend: partial(_plan, engine.catalog.table(TABLE).to_spark) for backend, engine in ours.items()
        }
        others: dict[str, Callable[[], object]] = {
            "listing the folder": partial(_plan, lambda: bench.spark.read.schema(schema).parquet(folder.as_uri()))
        }
        if peers:
            tables = {
                "iceberg": _iceberg(stack.enter_context(closing(bench.iceberg())), folder),
                "delta": _delta(bench, stack.enter_context(closing(bench.delta())), folder),
            }
            others |= {name: partial(_plan, partial(bench.spark.table, table)) for name, table in tables.items()}
        times = measure_in_turns({**actions, **others}, bench.sizes.small_rounds, warm_up=_WARM_UP)
        for backend in backends:
            for other in others:
                label = f"planning of {files:,} files : {other}"
                yield against(NAME, backend, label, times[backend], times[other], at_most(LIMIT))


def _plan(rows: Callable[[], DataFrame]) -> None:
    """As far as the tasks: formats differ in how much of the way they have gone before that."""
    assert rows().rdd.getNumPartitions() > 0


def _register(engine: Forklake, files: int) -> Path:
    """The table with one file under many names; returns their folder."""
    folder = engine.data / "planned"
    copy_file(folder, files, _ROWS)
    engine.catalog.create_table(TABLE, COLUMNS)
    add_files(engine.place, engine.data, folder, alike=True)
    engine.place.settle()
    return folder


def _iceberg(engine: Iceberg, folder: Path) -> str:
    engine.run(f"CREATE TABLE {engine.table(TABLE)} ({_columns()}) {engine.clauses}")
    source = f"`parquet`.`{folder}`"
    engine.run(f"CALL ice.system.add_files(table => '{engine.schema}.{TABLE}', source_table => '{source}')")
    return engine.table(TABLE)


def _delta(bench: Bench, engine: Delta, folder: Path) -> str:
    """A folder of its own: the log of the table would be among our files otherwise."""
    linked = bench.databases.new_folder()
    for file in folder.iterdir():
        os.link(file, linked / file.name)
    engine.run(f"CONVERT TO DELTA parquet.`{linked}` NO STATISTICS")
    engine.run(f"CREATE TABLE {engine.table(TABLE)} USING delta LOCATION '{linked}'")
    return engine.table(TABLE)


def _columns() -> str:
    translated = {name: "string" if text == "varchar" else text for name, text in COLUMNS.items()}
    return ", ".join(f"{name} {text}" for name, text in translated.items())
