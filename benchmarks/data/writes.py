"""Writing a table costs what writing files costs; changing a few rows costs far less than rewriting them all."""

from collections.abc import Callable, Iterator

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from benchmarks.data.bench import Bench, aggregated, check_same
from benchmarks.data.rows import COLUMNS, frame_of_ids, frame_of_rows, part_of_rows
from benchmarks.report import Figure, against, at_most
from benchmarks.timing import measure_in_turns
from forklake.api.table import TableHandle

APPEND = 1.05
DELETE, UPDATE, MERGE = 0.12, 0.3, 0.35
_ONE_PERCENT = part_of_rows(1)
_DEARER = "price * 1.1"
_NEW_ROWS = 10
"""One in so many rows of a merge's source matches none."""


def append(bench: Bench) -> Iterator[Figure]:
    """A DataFrame into a new table, committed with statistics, against its files alone."""
    rows = frame_of_rows(bench.spark, bench.sizes.rows, bench.sizes.files)
    empty: list[TableHandle] = []

    def renew() -> None:
        bench.forget_outputs()
        empty[:] = [bench.new_output_table()]

    actions = {
        "ours": lambda: empty[0].append(rows),
        "parquet": lambda: rows.write.parquet(bench.new_output()),
    }
    times = measure_in_turns(actions, bench.sizes.rounds, warm_up=1, before=renew)
    bench.forget_outputs()
    label = f"{bench.sizes.rows:,} rows : df.write.parquet"
    yield against("append", "sqlite", label, times["ours"], times["parquet"], at_most(APPEND))


def changes(bench: Bench) -> Iterator[Figure]:
    """One percent of the rows, at random over all files, against plain Spark that rewrites the files."""
    yield _change(
        bench,
        "DELETE of 1 %",
        DELETE,
        lambda table: table.delete(_ONE_PERCENT),
        lambda rows: rows.where(f"NOT ({_ONE_PERCENT})"),
    )
    dearer = f"CASE WHEN {_ONE_PERCENT} THEN {_DEARER} ELSE price END"
    yield _change(
        bench,
        "UPDATE of 1 %",
        UPDATE,
        lambda table: table.update({"price": _DEARER}, where=_ONE_PERCENT),
        lambda rows: rows.withColumn("price", F.expr(dearer)),
    )
    source = _source(bench)
    yield _change(
        bench,
        "MERGE of 1 %",
        MERGE,
        lambda table: table.merge(bench.spark.read.parquet(source), "id"),
        lambda rows: _merge(rows, bench.spark.read.parquet(source)),
    )


def _change(
    bench: Bench,
    label: str,
    limit: float,
    change: Callable[[TableHandle], object],
    rewritten: Callable[[DataFrame], DataFrame],
) -> Figure:
    """A change in a new fork each time, so that each starts from the same table."""
    stored = bench.large()
    fork: list[TableHandle] = []

    def renew() -> None:
        bench.forget_outputs()
        fork[:] = [bench.forked(stored)]

    def rewrite() -> None:
        rewritten(bench.spark.read.parquet(stored.folder)).write.parquet(bench.new_output())

    renew()
    change(fork[0])
    check_same(aggregated(fork[0].to_spark()), aggregated(rewritten(bench.spark.read.parquet(stored.folder))))
    times = measure_in_turns(
        {"ours": lambda: change(fork[0]), "rewrite": rewrite}, bench.sizes.rounds, warm_up=1, before=renew
    )
    bench.forget_outputs()
    return against("changes", "sqlite", f"{label} : rewriting", times["ours"], times["rewrite"], at_most(limit))


def _source(bench: Bench) -> str:
    """Rows for a merge, in files: most have new values for rows of the table, some are not in it."""
    folder, rows = bench.databases.new_folder() / "source", bench.sizes.rows
    moved = F.when(F.pmod(F.xxhash64("id", F.lit(8)), F.lit(_NEW_ROWS)) == 0, F.col("id") + rows).otherwise(F.col("id"))
    ids = bench.spark.range(0, rows, 1, 2).where(_ONE_PERCENT).select(moved.alias("id"))
    frame_of_ids(ids, salt=1).write.parquet(folder.as_uri())
    return folder.as_uri()


def _merge(rows: DataFrame, source: DataFrame) -> DataFrame:
    joined = rows.alias("old").join(source.alias("new"), "id", "full_outer")
    values = (F.coalesce(F.col(f"new.{name}"), F.col(f"old.{name}")).alias(name) for name in COLUMNS if name != "id")
    return joined.select("id", *values)
