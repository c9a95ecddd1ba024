"""Where a behaviour is tried: in a root, or in a fork of depth 2 that has inherited half of its rows."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.sql import functions as F

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.api.table import TableHandle
from tests.spark.conftest import Lakehouse
from tests.spark.inside import sort_key

Row = tuple[Any, ...]
Maker = Callable[[CatalogHandle], TableHandle]


@dataclass(frozen=True, slots=True)
class Somewhere:
    """A catalog, and a table in it that has all of its rows."""

    lake: CatalogHandle
    table: TableHandle
    inherited: int
    """How many of the first rows came from another catalog."""


@contextmanager
def somewhere(
    lakehouse: Lakehouse, in_fork: bool, make: Maker, first: Sequence[Row], second: Sequence[Row] = ()
) -> Iterator[Somewhere]:
    """The table with both halves. In a fork, the root and the catalog between must read as before at the end."""
    root = make(lakehouse.lake)
    root.append(first)
    if not in_fork:
        root.append(second)
        yield Somewhere(lakehouse.lake, root, 0)
        return
    middle = lakehouse.lake.fork("middle")
    fork = middle.fork("agent")
    table = fork.table(root._name)
    table.append(second)
    yield Somewhere(fork, table, len(first))
    _check_unchanged([root, middle.table(root._name)], first)


@contextmanager
def another_session(
    lakehouse: Lakehouse, table: TableHandle, *, with_spark: bool = True
) -> Iterator[tuple[Session, TableHandle]]:
    """The same table in a session of its own; without Spark, one that has started none."""
    place, catalog = lakehouse.place, table._attachment.catalog.name
    with forklake.connect(spark=lakehouse.spark if with_spark else None) as session:
        lake = session.attach(place.url, "lake", catalog=catalog, metadata_schema=place.metadata_schema)
        yield session, lake.table(table._name)


def _check_unchanged(tables: Sequence[TableHandle], rows: Sequence[Row]) -> None:
    """Each of the tables has these rows, numbered from 0."""
    expected = [(at, rowid, *row) for at in range(len(tables)) for rowid, row in enumerate(rows)]
    ids = [table.to_spark(columns=["rowid", *table.columns]) for table in tables]
    frames = [frame.select(F.lit(at).alias("at"), "*") for at, frame in enumerate(ids)]
    both = frames[0]
    for frame in frames[1:]:
        both = both.unionAll(frame)
    assert sorted(map(tuple, both.collect()), key=sort_key) == sorted(expected, key=sort_key)
