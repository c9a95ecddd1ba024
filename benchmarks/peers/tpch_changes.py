"""Deletes and updates of a twentieth of the two largest tables, spread over all of their files."""

from dataclasses import dataclass

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


def change_tables(engine: Engine) -> None:
    for change in CHANGES:
        table = engine.table(change.table)
        engine.run(f"DELETE FROM {table} WHERE {change.deleted}")
        engine.run(f"UPDATE {table} SET {change.number} = {change.number} + 1 WHERE {change.updated}")


def compact_tables(engine: Engine) -> None:
    for change in CHANGES:
        engine.compact(change.table)


def check_tables(engines: tuple[Engine, ...]) -> None:
    """All engines have the same rows in the tables that were changed."""
    for change in CHANGES:
        query = f"SELECT count(*), sum({change.key}), sum({change.number}) FROM "
        check_same(change.table, {engine.name: engine.run(query + engine.table(change.table)) for engine in engines})
