"""Merging small files costs no more than reading and writing their rows."""

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.data.bench import Bench, Stored, aggregated, check_same
from benchmarks.data.small_files import TABLE, add_files, write_files
from benchmarks.report import Figure, against, at_most
from benchmarks.timing import measure_in_turns
from forklake.api.catalog import CatalogHandle

LIMIT = 1.3
_LARGER = 10
"""The second measurement has so many times as many rows in each file."""


def merge_adjacent(bench: Bench) -> Iterator[Figure]:
    """`merge_adjacent_files`, committed with statistics, against Spark that reads the files and writes the rows."""
    for rows in (bench.sizes.small_rows, bench.sizes.small_rows * _LARGER):
        yield _merge(bench, _store(bench, rows), rows)


def _merge(bench: Bench, stored: Stored, rows: int) -> Figure:
    """Each time in a new fork, so that each starts from the same files."""
    fork: list[CatalogHandle] = []

    def renew() -> None:
        bench.forget_outputs()
        fork[:] = [bench.fork_of(stored)]

    def merge() -> None:
        [done] = fork[0].merge_adjacent_files(TABLE)
        assert (done.files_processed, done.files_created) == (bench.sizes.merged_files, 1)

    def rewrite() -> None:
        bench.spark.read.parquet(stored.folder).write.parquet(bench.new_output())

    renew()
    merge()
    check_same(aggregated(fork[0].table(TABLE).to_spark()), aggregated(bench.spark.read.parquet(stored.folder)))
    times = measure_in_turns({"ours": merge, "parquet": rewrite}, bench.sizes.rounds, warm_up=1, before=renew)
    bench.forget_outputs()
    label = f"{bench.sizes.merged_files:,} files of {rows:,} rows : reading and writing"
    return against("merge_adjacent", "sqlite", label, times["ours"], times["parquet"], at_most(LIMIT))


def _store(bench: Bench, rows: int) -> Stored:
    stored = bench.new_table()
    folder = stored.data / "small"
    write_files(folder, bench.sizes.merged_files, rows)
    add_files(stored.place, stored.data, folder)
    return replace(stored, folder=folder.as_uri())
