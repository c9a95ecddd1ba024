"""Reading a table costs what reading its files costs, deleted rows or not."""

from collections.abc import Iterator
from functools import partial

from pyspark.sql import types as st

from benchmarks.data.bench import Bench, Stored, aggregated, check_same
from benchmarks.data.rows import part_of_rows
from benchmarks.report import Bar, Figure, against, at_most
from benchmarks.timing import measure_in_turns
from forklake.api.table import TableHandle

FULL, SMALL = 1.05, 1.0
ONE_PERCENT, TEN_PERCENT, TENTH_OF_FILES = 1.8, 2.2, 1.3


def full_scan(bench: Bench) -> Iterator[Figure]:
    """An aggregate of two columns of the large table, planning included."""
    label = f"{bench.sizes.rows:,} rows in {bench.sizes.files} files"
    yield from _scan(bench, "full_scan", bench.large(), label, at_most(FULL))


def small_files(bench: Bench) -> Iterator[Figure]:
    """The same of many small files."""
    yield from _scan(bench, "small_files", bench.small(), f"{bench.sizes.small_files:,} small files", at_most(SMALL))


def deleted_rows(bench: Bench) -> Iterator[Figure]:
    """The same with deleted rows, against the files with all their rows."""
    stored = bench.large()
    touched = max(1, bench.sizes.files // 10)
    first_rows = bench.sizes.rows // bench.sizes.files * touched
    cases = {
        "1 % of rows deleted": (part_of_rows(1), ONE_PERCENT),
        "10 % of rows deleted": (part_of_rows(10), TEN_PERCENT),
        f"10 % deleted from {touched} of {bench.sizes.files} files": (
            f"id < {first_rows} AND {part_of_rows(10)}",
            TENTH_OF_FILES,
        ),
    }
    tables = {label: _without(bench, stored, where) for label, (where, _) in cases.items()}
    actions = {label: partial(_read_ours, table) for label, table in tables.items()}
    times = measure_in_turns({**actions, "raw": partial(_read_folder, bench, stored.folder)}, bench.sizes.rounds)
    for label, (_, limit) in cases.items():
        yield against("deleted_rows", "sqlite", f"{label} : raw scan", times[label], times["raw"], at_most(limit))


def _scan(bench: Bench, name: str, stored: Stored, label: str, bar: Bar) -> Iterator[Figure]:
    schema = stored.table.to_spark().schema
    folder = stored.folder
    check_same(_read_ours(stored.table), _read_folder(bench, folder))
    actions = {
        "ours": partial(_read_ours, stored.table),
        "folder": partial(_read_folder, bench, folder),
        "with schema": partial(_read_folder, bench, folder, schema),
    }
    times = measure_in_turns(actions, bench.sizes.rounds)
    yield against(name, "sqlite", f"{label} : spark.read.parquet", times["ours"], times["folder"], bar)
    # Spark looks into a file for the schema unless it is told, which we always do.
    yield against(name, "sqlite", f"{label} : the same with a schema given", times["ours"], times["with schema"])


def _without(bench: Bench, stored: Stored, where: str) -> TableHandle:
    table = bench.forked(stored)
    table.delete(where)
    expected = bench.spark.read.parquet(stored.folder).where(f"NOT ({where})")
    check_same(aggregated(table.to_spark()), aggregated(expected))
    return table


def _read_ours(table: TableHandle) -> list[tuple[object, ...]]:
    return aggregated(table.to_spark())


def _read_folder(bench: Bench, folder: str, schema: st.StructType | None = None) -> list[tuple[object, ...]]:
    reader = bench.spark.read if schema is None else bench.spark.read.schema(schema)
    return aggregated(reader.parquet(folder))
