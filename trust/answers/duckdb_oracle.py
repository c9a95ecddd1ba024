"""The rows of a table in DuckDB, and what it says of conditions and expressions over them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from trust.answers.evaluation import Judgement
from trust.answers.kinds import Column

TYPES = {"STRING": "VARCHAR", "TIMESTAMP_NTZ": "TIMESTAMP", "TIMESTAMP_LTZ": "TIMESTAMPTZ"}
LEFT_OUT = frozenset({"uuid", "time", "utiny", "ubig", "map", "bin", "wide"})
"""Kinds that Spark shows as another type than DuckDB has, or that the grammar knows nothing of."""


AVOIDED = "errors that DuckDB's optimiser avoids"


def duckdb_columns(columns: Sequence[Column]) -> list[Column]:
    """The columns that both have in the same type."""
    return [column for column in columns if column.kind not in LEFT_OUT]


def connection_with(tables: Mapping[str, pa.Table]) -> duckdb.DuckDBPyConnection:
    """DuckDB with these tables, in UTC."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for name, rows in tables.items():
        connection.register("given", rows)
        connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM given')
        connection.unregister("given")
    return connection


class DuckDBOracle:
    """DuckDB with one table."""

    def __init__(self, name: str, rows: pa.Table, key: str) -> None:
        self._connection = connection_with({name: rows})
        self._name, self._key = name, key

    def judge(self, condition: str) -> Judgement:
        """What a condition is for each row."""
        outcome = f"TRY(coalesce(CAST(CAST(({condition}) AS BOOLEAN) AS INT), 2))"
        try:
            rows = self._fetch(f'SELECT "{self._key}", {outcome} FROM "{self._name}"')
        except duckdb.Error as error:
            return Judgement(refused=str(error).partition("\n")[0][:200])
        return Judgement({key: None if number is None else number + 1 for key, number in rows})

    def values(self, expression: str) -> dict[int, Any]:
        """The value of an expression for each row; duckdb.Error if there is none."""
        return dict(self._fetch(f'SELECT "{self._key}", ({expression}) FROM "{self._name}"'))

    def _fetch(self, text: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(text).fetchall()

    def add_column(self, name: str) -> None:
        """A column that only DuckDB has."""
        self._connection.execute(f'ALTER TABLE "{self._name}" ADD COLUMN "{name}" INT')

    def close(self) -> None:
        self._connection.close()


def fails_unoptimised(connection: duckdb.DuckDBPyConnection, run: Callable[[], object]) -> bool:
    """Whether DuckDB fails, too, if it evaluates conditions as they are written: its optimiser may avoid an error."""
    connection.execute("PRAGMA disable_optimizer")
    try:
        run()
    except duckdb.Error:
        return True
    finally:
        connection.execute("PRAGMA enable_optimizer")
    return False
