"""A condition that is given to us chooses files by their statistics; one given to Spark opens them all."""

from collections.abc import Iterator
from itertools import cycle
from random import Random

from benchmarks.data.bench import Bench
from benchmarks.report import Figure, against, at_most
from benchmarks.timing import measure_in_turns

LIMIT = 0.1


def point_query(bench: Bench) -> Iterator[Figure]:
    """One row of the table of small files, by its id."""
    stored, random = bench.small(), Random(1)
    ids = cycle([random.randrange(bench.sizes.small_files * bench.sizes.small_rows) for _ in range(1_001)])

    def pruned() -> None:
        wanted = next(ids)
        _check(wanted, [tuple(row) for row in stored.table.scan(where=f"id = {wanted}").to_spark().collect()])

    def unpruned() -> None:
        wanted = next(ids)
        _check(wanted, [tuple(row) for row in stored.table.to_spark().where(f"id = {wanted}").collect()])

    times = measure_in_turns({"pruned": pruned, "unpruned": unpruned}, bench.sizes.rounds)
    label = f"1 row of {bench.sizes.small_files:,} files, pruned : not pruned"
    yield against("point_query", "sqlite", label, times["pruned"], times["unpruned"], at_most(LIMIT))


def _check(wanted: int, rows: list[tuple[object, ...]]) -> None:
    if [row[0] for row in rows] != [wanted]:
        raise AssertionError(f"looked for the id {wanted} and found {rows}")
