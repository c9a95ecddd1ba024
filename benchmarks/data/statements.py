"""What a statement costs beyond what Spark needs for the same query, and what a metadata function takes."""

from collections.abc import Iterator

from benchmarks.data.bench import Bench
from benchmarks.data.rows import frame_of_rows
from benchmarks.data.small_files import CATALOG, TABLE
from benchmarks.report import Figure, at_most, duration
from benchmarks.timing import measure_in_turns

ADDED_MS = 30.0
FUNCTION_MS = 20.0
ROWS = 1_000
_QUERY = "SELECT count(*) AS n, sum(id) AS s FROM {} WHERE id > 10"


def statements(bench: Bench) -> Iterator[Figure]:
    """A small query through `session.sql` beside `spark.sql` on the same files, and functions over the metadata."""
    stored = bench.new_table()
    stored.table.append(frame_of_rows(bench.spark, ROWS, 1))
    [file] = stored.data.rglob("*.parquet")
    schema = stored.table.to_spark().schema
    session = bench.session
    session.attach(stored.place.url, "lake", catalog=CATALOG)
    table = f"lake.main.{TABLE}"

    def ours() -> None:
        session.sql(_QUERY.format(table)).fetchall()

    def plain() -> None:
        bench.spark.read.schema(schema).parquet(file.as_uri()).createOrReplaceTempView("plain_rows")
        bench.spark.sql(_QUERY.format("plain_rows")).toArrow()

    def snapshots() -> None:
        session.sql("SELECT * FROM ducklake_snapshots('lake')").fetchall()

    def table_info() -> None:
        session.sql("SELECT * FROM lake.table_info()").fetchall()

    rounds = max(15, bench.sizes.rounds)
    measure_in_turns({"ours": ours, "plain": plain}, 10)
    times = measure_in_turns({"ours": ours, "plain": plain}, rounds)
    added = (times["ours"].median - times["plain"].median) * 1000
    detail = f"{duration(times['ours'].median)} against {duration(times['plain'].median)}"
    yield Figure("statements", "sqlite", "session.sql beyond spark.sql", added, "ms", at_most(ADDED_MS), detail)
    functions = measure_in_turns({"snapshots": snapshots, "table_info": table_info}, rounds)
    for name, sample in functions.items():
        slowest = f"slowest {duration(max(sample.seconds))}"
        took = sample.median * 1000
        yield Figure("statements", "sqlite", f"ducklake_{name}", took, "ms", at_most(FUNCTION_MS), slowest)
