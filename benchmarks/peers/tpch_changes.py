"""Deletes and updates of a twentieth of the two largest tables, spread over all of their files."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.answers import check_same
from benchmarks.peers.engines import Engine


@dataclass(frozen=True, slots=True)
class Change:
    """Which rows go, and which number of which others grows."""

    table: str
    key: str
    number: str

    @property
    def deleted(self) -> str:
        return f"{self.key} % 20 = 3"

    @property
    def updated(self) -> str:
        return f"{self.key} % 20 = 7"

    def query(self, table: str) -> str:
        """What the table has afterwards, as a query of what it had before."""
        grown = f"CASE WHEN {self.updated} THEN CAST({self.number} + 1 AS DECIMAL(15, 2)) ELSE {self.number} END"
        return f"SELECT * EXCEPT ({self.number}), {grown} AS {self.number} FROM {table} WHERE NOT ({self.deleted})"


CHANGES = (Change("lineitem", "l_partkey", "l_quantity"), Change("orders", "o_custkey", "o_totalprice"))

_COPY = "copied"


def change_tables(engine: Engine) -> None:
    for change in CHANGES:
        _run(engine, change, change.table)


def _run(engine: Engine, change: Change, name: str) -> None:
    table = engine.table(name)
    engine.run(f"DELETE FROM {table} WHERE {change.deleted}")
    engine.run(f"UPDATE {table} SET {change.number} = {change.number} + 1 WHERE {change.updated}")


def warm_up(engine: Engine, sources: Mapping[str, Path]) -> None:
    """Change and compact a copy that is dropped: what is timed once must not be the first of its kind."""
    change = CHANGES[-1]
    engine.load(_COPY, sources[change.table])
    _run(engine, change, _COPY)
    engine.compact(_COPY)
    engine.drop(_COPY)


def compact_tables(engine: Engine) -> None:
    for change in CHANGES:
        engine.compact(change.table)


def check_tables(engines: tuple[Engine, ...]) -> None:
    """All engines have the same rows in the tables that were changed."""
    for change in CHANGES:
        query = f"SELECT count(*), sum({change.key}), sum({change.number}) FROM "
        check_same(change.table, {engine.name: engine.run(query + engine.table(change.table)) for engine in engines})
