"""What the guard compares: our work, and what it cannot be done without or would be done with instead."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import count
from random import Random

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from benchmarks.data.bench import Bench, Stored, aggregated, check_same
from benchmarks.data.rows import frame_of_rows, part_of_rows
from benchmarks.data.small_files import TABLE
from benchmarks.databases import Backend
from benchmarks.metadata.forklake_writer import PLAIN_TABLE, make_plain_table
from benchmarks.metadata.tables import append, append_row, make_table, scan_again
from benchmarks.timing import Sample, measure_in_turns
from forklake.api.table import TableHandle
from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog

Measure = Callable[[Bench], tuple[Sample, Sample]]
"""Ours, and the other's."""

_QUERY = "SELECT count(*) AS n, sum(id) AS s FROM {} WHERE id > 10"
_SMALL_ROWS = 1_000
_DEPTH = 50
_PARENT_FILES = 10
_WARM_UP = 5


def _metadata(backend: Backend, action: Callable[[Catalog, int], object]) -> Measure:
    """Something in the metadata beside an INSERT of one row into the same database, both of them durable."""

    def measure(bench: Bench) -> tuple[Sample, Sample]:
        place, numbers = bench.databases.new_place(backend), count()
        with closing(place.open()) as lake, place.sql() as sql:
            make_plain_table(place)
            catalog = create_catalog(lake, "guarded")
            make_table(catalog, "events", 10)
            actions: dict[str, Callable[[], object]] = {
                "ours": lambda: action(catalog, next(numbers)),
                "floor": lambda: sql.insert(PLAIN_TABLE, (next(numbers), "a row as short as they come")),
            }
            times = measure_in_turns(actions, bench.sizes.inserts, warm_up=_WARM_UP)
        return times["ours"], times["floor"]

    return measure


def _scan(bench: Bench) -> tuple[Sample, Sample]:
    return _reading(bench, bench.large())


def _small_files(bench: Bench) -> tuple[Sample, Sample]:
    return _reading(bench, bench.small())


def _reading(bench: Bench, stored: Stored) -> tuple[Sample, Sample]:
    rows = _plain(bench, stored)

    def ours() -> list[tuple[object, ...]]:
        return aggregated(stored.table.to_spark())

    def plain() -> list[tuple[object, ...]]:
        return aggregated(rows())

    check_same(ours(), plain())
    times = measure_in_turns({"ours": ours, "plain": plain}, bench.sizes.rounds, warm_up=_WARM_UP)
    return times["ours"], times["plain"]


def _append(bench: Bench) -> tuple[Sample, Sample]:
    rows = frame_of_rows(bench.spark, bench.sizes.rows // 4, 2)
    actions: dict[str, Callable[[], object]] = {
        "ours": lambda: bench.new_output_table().append(rows),
        "plain": lambda: rows.write.parquet(bench.new_output()),
    }
    times = measure_in_turns(actions, bench.sizes.rounds, before=bench.forget_outputs)
    bench.forget_outputs()
    return times["ours"], times["plain"]


def _deleted_rows(bench: Bench) -> tuple[Sample, Sample]:
    """Ours leaves out the rows that are deleted, and Spark reads them all."""
    stored = bench.large()
    table = bench.forked(stored)
    table.delete(part_of_rows(5))
    plain = _plain(bench, stored)
    check_same(aggregated(table.to_spark()), aggregated(plain().where(f"NOT ({part_of_rows(5)})")))
    actions = {"ours": lambda: aggregated(table.to_spark()), "plain": lambda: aggregated(plain())}
    times = measure_in_turns(actions, bench.sizes.rounds, warm_up=_WARM_UP)
    return times["ours"], times["plain"]


def _update(bench: Bench) -> tuple[Sample, Sample]:
    stored, forks = bench.large(), list[TableHandle]()
    plain = _plain(bench, stored)

    def renew() -> None:
        bench.forget_outputs()
        forks[:] = [bench.forked(stored)]

    dearer = f"CASE WHEN {part_of_rows(1)} THEN price * 1.1 ELSE price END"
    actions: dict[str, Callable[[], object]] = {
        "ours": lambda: forks[0].update({"price": "price * 1.1"}, where=part_of_rows(1)),
        "plain": lambda: plain().withColumn("price", F.expr(dearer)).write.parquet(bench.new_output()),
    }
    times = measure_in_turns(actions, bench.sizes.rounds, before=renew)
    bench.forget_outputs()
    return times["ours"], times["plain"]


def _plain(bench: Bench, stored: Stored) -> Callable[[], DataFrame]:
    """What gives the same files to plain Spark, which is told their schema as it is by us."""
    schema = stored.table.to_spark().schema
    return lambda: bench.spark.read.schema(schema).parquet(stored.folder)


def _point_query(bench: Bench) -> tuple[Sample, Sample]:
    stored, random = bench.small(), Random(1)
    ids = bench.sizes.small_files * bench.sizes.small_rows

    def pruned() -> None:
        assert len(stored.table.scan(where=f"id = {random.randrange(ids)}").to_spark().collect()) == 1

    def unpruned() -> None:
        assert len(stored.table.to_spark().where(f"id = {random.randrange(ids)}").collect()) == 1

    times = measure_in_turns({"pruned": pruned, "unpruned": unpruned}, bench.sizes.rounds, warm_up=_WARM_UP)
    return times["pruned"], times["unpruned"]


def _statement(bench: Bench) -> tuple[Sample, Sample]:
    """A small query through `session.sql` beside `spark.sql` on the same file."""
    stored = bench.new_table()
    stored.table.append(frame_of_rows(bench.spark, _SMALL_ROWS, 1))
    [file] = stored.data.rglob("*.parquet")
    schema = stored.table.to_spark().schema
    bench.session.attach(stored.place.url, "guarded", catalog=stored.lake.name)

    def plain() -> None:
        bench.spark.read.schema(schema).parquet(file.as_uri()).createOrReplaceTempView("plain_rows")
        bench.spark.sql(_QUERY.format("plain_rows")).toArrow()

    def ours() -> None:
        bench.session.sql(_QUERY.format(f"guarded.main.{TABLE}")).fetchall()

    times = measure_in_turns({"ours": ours, "plain": plain}, 3 * bench.sizes.rounds, warm_up=2 * _WARM_UP)
    bench.session.detach("guarded")
    return times["ours"], times["plain"]


def _depth(bench: Bench) -> tuple[Sample, Sample]:
    """The files of a small table in a deep fork, each level of which has added one, beside those of the root."""
    place = bench.databases.new_place("postgres")
    with closing(place.open()) as lake:
        root = above = create_catalog(lake, "root")
        make_table(root, "events", _PARENT_FILES)
        for level in range(_DEPTH):
            above, _ = fork_catalog(lake, above.name, f"level-{level}")
            append(above, "events")
        actions = {"deep": partial(scan_again, above, "events"), "root": partial(scan_again, root, "events")}
        times = measure_in_turns(actions, 10 * bench.sizes.rounds, warm_up=_WARM_UP)
    return times["deep"], times["root"]


def _fork(catalog: Catalog, number: int) -> None:
    fork_catalog(catalog.lake, catalog.name, f"fork-{number}")


def _commit_row(catalog: Catalog, _: int) -> None:
    append_row(catalog, "events")


def _commit_file(catalog: Catalog, _: int) -> None:
    append(catalog, "events")


@dataclass(frozen=True, slots=True)
class Ratio:
    """What is compared with what."""

    label: str
    measure: Measure


RATIOS: dict[str, Ratio] = {
    "fork_sqlite": Ratio("fork : plain INSERT", _metadata("sqlite", _fork)),
    "fork_postgres": Ratio("fork : plain INSERT", _metadata("postgres", _fork)),
    "row_sqlite": Ratio("commit of a row : plain INSERT", _metadata("sqlite", _commit_row)),
    "row_postgres": Ratio("commit of a row : plain INSERT", _metadata("postgres", _commit_row)),
    "file_postgres": Ratio("commit of a file : plain INSERT", _metadata("postgres", _commit_file)),
    "depth": Ratio(f"planning at depth {_DEPTH} : at the root", _depth),
    "scan": Ratio("scan : Spark on the same files", _scan),
    "small_files": Ratio("scan of small files : Spark on the same files", _small_files),
    "deleted_rows": Ratio("scan without 5 % of rows : Spark with all", _deleted_rows),
    "update": Ratio("update of 1 % : writing all anew", _update),
    "append": Ratio("append : write of the same rows", _append),
    "point_query": Ratio("point query, pruned : not pruned", _point_query),
    "statement": Ratio("small statement : the same in spark.sql", _statement),
}
"""By what they are called in the record."""
