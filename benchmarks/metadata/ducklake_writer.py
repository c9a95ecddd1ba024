"""The peer: DuckDB's own DuckLake, with its metadata in the same PostgreSQL."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb

from benchmarks.metadata.tables import COLUMNS
from tests.ducklake_oracle import connect_oracle

_ROW = "(1, 2, 3, 4.5, 5.25, true, 'AR', 'a note', DATE '2020-01-01', TIMESTAMP '2020-01-01 12:00:00')"


@dataclass(frozen=True, slots=True)
class DuckLakeWriter:
    """Commits one row at a time to a table of its own. So few rows stay in the metadata: no file is written."""

    address: str
    schema: str
    """The schema of the metadata: writers with the same one share a lake."""
    data_path: Path
    table: str

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        return (duckdb.Error,)

    @contextmanager
    def connected(self) -> Iterator[Callable[[], object]]:
        with self._attached() as connection:
            yield partial(connection.execute, f"INSERT INTO lake.{self.table} VALUES {_ROW}")

    def create_table(self) -> None:
        columns = ", ".join(f"{name} {type_}" for name, type_ in COLUMNS.items())
        with self._attached() as connection:
            connection.execute(f"CREATE TABLE lake.{self.table} ({columns})")

    def rows(self) -> int:
        with self._attached() as connection:
            [[rows]] = connection.execute(f"SELECT count(*) FROM lake.{self.table}").fetchall()
        return int(rows)

    @contextmanager
    def _attached(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with connect_oracle() as connection:
            options = f"DATA_PATH '{self.data_path}', METADATA_SCHEMA '{self.schema}'"
            connection.execute(f"ATTACH 'ducklake:postgres:{self.address}' AS lake ({options})")
            yield connection


def make_lake(address: str, folder: Path, writers: int) -> list[DuckLakeWriter]:
    """One lake, with a table for each writer: it has no catalogs to give them."""
    return _create_writers([DuckLakeWriter(address, "lake", folder, f"t{number}") for number in range(writers)])


def make_lakes(address: str, folder: Path, writers: int) -> list[DuckLakeWriter]:
    """A lake for each writer, in schemas of one database: nothing is shared between them."""
    return _create_writers(
        [DuckLakeWriter(address, f"lake_{number}", folder / str(number), "t") for number in range(writers)]
    )


def _create_writers(writers: list[DuckLakeWriter]) -> list[DuckLakeWriter]:
    for writer in writers:
        writer.create_table()
    return writers
