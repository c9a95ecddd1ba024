"""One row is appended to tables of many columns: the time grows with the columns, not with their square."""

from collections.abc import Callable, Iterator
from functools import partial
from math import log

import pyarrow as pa

import forklake
from benchmarks.metadata.bench import Bench
from benchmarks.report import Bar, Figure, at_most
from benchmarks.timing import Sample, measure_in_turns
from forklake.api.session import Session

NAME = "wide_tables"
_WIDTHS = (100, 1_000, 10_000)
_BARS = {1_000: 0.5, 10_000: 5.0}
_EXPONENT = at_most(1.2)
_WAYS = ("INSERT of literals", "append from Arrow", "append of inlined rows")


def wide_tables(bench: Bench) -> Iterator[Figure]:
    """Seconds for one row, by the number of columns and by the way it comes."""
    place = bench.new_place()
    with forklake.connect() as session:
        session.attach(
            place.url, "lake", catalog="main", create_if_not_exists=True, data_path=str(bench.databases.new_folder())
        )
        session.sql("USE lake")
        for width in _WIDTHS:
            _create(session, width)
        times = {width: measure_in_turns(_appends(session, width), bench.sizes.repeats, warm_up=1) for width in _WIDTHS}
    for way in _WAYS:
        for width in _WIDTHS:
            yield _seconds(bench, f"{way}, {width:,} columns", times[width][way], _BARS.get(width))
        low, high = _WIDTHS[-2:]
        exponent = log(times[high][way].median / times[low][way].median) / log(high / low)
        yield Figure(NAME, bench.backend, f"{way}, exponent of columns", exponent, "", _EXPONENT)


def _seconds(bench: Bench, name: str, sample: Sample, limit: float | None) -> Figure:
    bar: Bar | None = None if limit is None else at_most(limit)
    return Figure(NAME, bench.backend, name, sample.median, "s", bar)


def _create(session: Session, width: int) -> None:
    columns = ", ".join(f"c{at} BIGINT" for at in range(width))
    for table in (f"t{width}", f"inlined{width}"):
        session.sql(f"CREATE TABLE {table} ({columns})")
    session.sql(f"CALL lake.set_option('data_inlining_row_limit', 10, table_name => 'inlined{width}')")


def _appends(session: Session, width: int) -> dict[str, Callable[[], object]]:
    insert = f"INSERT INTO t{width} VALUES ({', '.join(str(at) for at in range(width))})"
    rows = pa.table({f"c{at}": [at] for at in range(width)})
    lake = session.catalog("lake")
    actions: list[Callable[[], object]] = [
        partial(session.sql, insert),
        partial(lake.table(f"t{width}").append, rows),
        partial(lake.table(f"inlined{width}").append, rows),
    ]
    return dict(zip(_WAYS, actions, strict=True))
