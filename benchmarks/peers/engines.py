"""Lake formats and engines behind one face: each is told the same, and does it in its own way."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

Rows = list[tuple[Any, ...]]


class Engine(ABC):
    """A schema of tables somewhere. Statements are in the SQL that all of them understand."""

    name: str

    @abstractmethod
    def run(self, statement: str) -> Rows:
        """Execute one statement, and fetch all that it gives."""

    @abstractmethod
    def use(self) -> None:
        """From now on bare names of tables mean this engine's."""

    @abstractmethod
    def table(self, name: str) -> str:
        """The full name, which means this engine's table whatever is in use."""

    @abstractmethod
    def load(self, name: str, source: Path) -> None:
        """Create a table with all rows of a Parquet file, or of all files in a folder."""

    @abstractmethod
    def create(self, name: str, columns: Mapping[str, str]) -> None:
        """Create an empty table. Types are Spark's; those that differ by engine are translated."""

    @abstractmethod
    def compact(self, name: str) -> None:
        """Few files, without deleted rows in them."""

    @abstractmethod
    def expire(self, name: str) -> None:
        """Forget all versions but the current one, and delete their files."""

    @abstractmethod
    def files(self, name: str) -> list[Path]:
        """The data files of the current version."""

    def drop(self, name: str) -> None:
        self.run(f"DROP TABLE IF EXISTS {self.table(name)}")

    @abstractmethod
    def close(self) -> None:
        """Drop everything; the engine is of no more use."""

    def __repr__(self) -> str:
        return f"<{self.name}>"


class SparkEngine(Engine):
    """An engine whose tables Spark itself knows by name."""

    catalog: str
    clauses: str
    """What stands between the columns of CREATE TABLE and its query."""

    def __init__(self, spark: SparkSession, schema: str) -> None:
        self.spark = spark
        self.schema = schema
        self.run(f"CREATE NAMESPACE IF NOT EXISTS {self.catalog}.{schema}")

    def run(self, statement: str) -> Rows:
        return [tuple(row) for row in self.spark.sql(statement).collect()]

    def use(self) -> None:
        self.run(f"USE {self.catalog}.{self.schema}")

    def table(self, name: str) -> str:
        return f"{self.catalog}.{self.schema}.{name}"

    def load(self, name: str, source: Path) -> None:
        self.run(f"CREATE TABLE {self.table(name)} {self.clauses} AS SELECT * FROM parquet.`{source}`")

    def create(self, name: str, columns: Mapping[str, str]) -> None:
        self.run(f"CREATE TABLE {self.table(name)} ({in_brackets(columns)}) {self.clauses}")

    def files(self, name: str) -> list[Path]:
        rows = self.run(f"SELECT DISTINCT _metadata.file_path FROM {self.table(name)}")
        return [local_path(uri) for (uri,) in rows]

    def close(self) -> None:
        for _, name, _ in self.run(f"SHOW TABLES IN {self.catalog}.{self.schema}"):
            self.drop(name)


def in_brackets(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {type_}" for name, type_ in columns.items())


def properties(values: Mapping[str, str]) -> str:
    listed = ", ".join(f"'{name}' = '{value}'" for name, value in values.items())
    return f"TBLPROPERTIES ({listed})"


def local_path(uri: str) -> Path:
    """The path of a file on this machine, however its address is written."""
    return Path("/" + uri.removeprefix("file:").lstrip("/"))
