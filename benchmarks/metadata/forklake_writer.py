"""A writer of ours, and the floor under it: one INSERT in a transaction."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial

import psycopg

from benchmarks.databases import Place
from benchmarks.metadata.tables import append, append_row
from forklake.catalog.lakes.catalogs import find_catalog
from forklake.errors import ForklakeError

PLAIN_TABLE = "plain_row"


@dataclass(frozen=True, slots=True)
class ForklakeWriter:
    """Commits one file, or one row that stays in the metadata, at a time; each with ten statistics."""

    place: Place
    catalog: str
    rows: bool = False

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        return (ForklakeError,)

    @contextmanager
    def connected(self) -> Iterator[Callable[[], object]]:
        with closing(self.place.open()) as lake:
            yield partial(append_row if self.rows else append, find_catalog(lake, self.catalog), "events")


@dataclass(frozen=True, slots=True)
class PlainWriter:
    """Commits one row at a time: what the database and the disk allow at best."""

    place: Place
    number: int

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        return (psycopg.Error, sqlite3.Error)

    @contextmanager
    def connected(self) -> Iterator[Callable[[], object]]:
        with self.place.sql() as sql:
            yield partial(sql.insert, PLAIN_TABLE, (self.number, "a row of a few dozen bytes, as short as they come"))


def make_plain_table(place: Place) -> None:
    with place.sql() as sql:
        sql.run(f"CREATE TABLE {PLAIN_TABLE} (writer BIGINT NOT NULL, text TEXT NOT NULL)")
