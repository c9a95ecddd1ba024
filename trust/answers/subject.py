"""A lake with generated tables, and two sessions on it: one as users have it, one that takes no shortcuts."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

import forklake
from forklake.api.session import Session
from forklake.errors import QueryFailed
from forklake.spark.session.failures import is_from_spark
from forklake.spark.values.collect import collect
from trust.answers.tables import KEY, MadeTable

FILE = "__file"
SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
}

LIGHT = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
}
"""Settings for a few rows: compiling a hundred expressions takes longer than reading a hundred rows."""


@dataclass(slots=True)
class Subject:
    """Tables in a fork, half of whose files are inherited."""

    target: str
    """Where the lake is, as ATTACH takes it."""
    fast: Session
    slow: Session
    tables: tuple[MadeTable, ...]
    plain: SparkSession
    """A session of Spark with the rows of all tables as views, and nothing of ours."""
    stored: dict[str, pa.Table] = field(default_factory=dict)
    """All rows by table, with the name of their file, NULL where they are in no file."""
    version: int = 0
    """The snapshot of all tables; the catalog `past` has changed them since."""

    def answer_of_spark(self, text: str) -> pa.Table:
        """The rows that Spark alone gives for a query."""
        try:
            return collect(self.plain.sql(text))
        except Exception as error:
            if isinstance(error, PySparkException) or not is_from_spark(error):
                raise
            # What fails in a thread of its own, such as a broadcast, is not translated by PySpark.
            raise QueryFailed(str(error)) from error

    def rows(self, table: MadeTable) -> DataFrame:
        """All rows of a table as values in a plan of Spark: no file is read for them, and no job is run."""
        return local_rows(self.plain, self.stored[table.name])

    def close(self) -> None:
        self.slow.close()
        self.fast.close()


def local_rows(spark: SparkSession, rows: pa.Table) -> DataFrame:
    """Rows as values in a plan; moments without a zone stay without, whatever the session prefers."""
    return spark.createDataFrame(rows, schema=from_arrow_schema(rows.schema, prefer_timestamp_ntz=True))


def plain_session(spark: SparkSession, stored: Mapping[str, pa.Table], settings: Mapping[str, str]) -> SparkSession:
    """Another session of the same Spark with a view for each table."""
    other = spark.newSession()
    for name, value in {**LIGHT, **settings}.items():
        other.conf.set(name, value)
    for name, rows in stored.items():
        local_rows(other, rows.drop_columns([FILE])).createOrReplaceTempView(name)
    return other


@contextmanager
def subject(
    folder: Path, tables: Sequence[MadeTable], spark: SparkSession | None = None, target: str = ""
) -> Iterator[Subject]:
    """A new lake with these tables, in SQLite unless there is a place for it."""
    folder.mkdir(parents=True, exist_ok=True)
    fast = forklake.connect(spark=spark, settings=None if spark else SETTINGS)
    target = target or f"sqlite:{folder / 'lake.db'}"
    data = str(folder / "data")
    fast.attach(target, "lake", catalog="main", create_if_not_exists=True, data_path=data, data_inlining_row_limit=0)
    for table in tables:
        table.build(fast, range(len(table.steps) // 2))
    fast.sql("FORK CATALOG lake AS work")
    fast.detach("lake")
    fast.attach(target, "lake", catalog="work", data_inlining_row_limit=0)
    fast.sql("USE lake")
    for table in tables:
        table.build(fast, range(len(table.steps) // 2, len(table.steps)))
    version = _make_past(fast, target, tables)
    slow = without_shortcuts(fast)
    stored = {table.name: slow.sql(f"SELECT *, filename AS {FILE} FROM {table.name}").to_arrow() for table in tables}
    made = Subject(target, fast, slow, tuple(tables), plain_session(fast.spark, stored, {}), stored, version)
    try:
        yield made
    finally:
        made.close()


def _make_past(session: Session, target: str, tables: Sequence[MadeTable]) -> int:
    """Fork the catalog twice: as it is for `twin`, and for `past` that changes everything afterwards."""
    [(version,)] = session.sql("SELECT max(snapshot_id) FROM lake.snapshots()").fetchall()
    for name in ("twin", "past"):
        session.sql(f"FORK CATALOG lake AS {name}")
        session.attach(target, name, catalog=name, data_inlining_row_limit=0)
    for table in tables:
        other = next(column.name for column in table.columns if column.name != KEY)
        past = session.catalog("past").table(table.name)
        past.append([{KEY: -1}])
        past.rename_column(other, "called_otherwise")
        past.truncate()
    return int(version)


@contextmanager
def speaking(made: Subject, dialect: str) -> Iterator[Subject]:
    """The same lake in sessions of another dialect."""
    other = attached_again(made, made.fast.spark, dialect)
    try:
        yield other
    finally:
        other.close()


def attached_again(made: Subject, spark: SparkSession, dialect: str = "spark") -> Subject:
    """The same lake in other sessions, over another Spark or in another dialect."""
    fast = forklake.connect(dialect=dialect, spark=spark)
    for name, catalog in (("twin", "twin"), ("past", "past"), ("lake", "work")):
        fast.attach(made.target, name, catalog=catalog, data_inlining_row_limit=0)
    fast.sql("USE lake")
    return replace(made, fast=fast, slow=without_shortcuts(fast))


def light(spark: SparkSession) -> AbstractContextManager[None]:
    """Let Spark work with the settings for a few rows meanwhile."""
    return set_meanwhile(spark, LIGHT)


@contextmanager
def set_meanwhile(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Settings of a session for a while."""
    before = {name: spark.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


def without_shortcuts(session: Session) -> Session:
    """Another session on the same catalogs, that takes no shortcuts."""
    other = session.cursor()
    other.sql("SET forklake_shortcuts = false")
    return other
