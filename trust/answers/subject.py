"""A lake with generated tables, and two sessions on it: one as users have it, one that takes no shortcuts."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import forklake
from forklake.api.session import Session
from trust.answers.tables import MadeTable

FILE = "__file"
SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
}

INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


@dataclass(slots=True)
class Subject:
    """Tables in a fork, half of whose files are inherited."""

    folder: Path
    fast: Session
    slow: Session
    tables: tuple[MadeTable, ...]
    kept: dict[str, DataFrame] = field(default_factory=dict)

    def rows(self, table: MadeTable) -> DataFrame:
        """All rows of a table with the name of their file, NULL where they are in no file; kept by Spark."""
        if table.name not in self.kept:
            frame = self.slow.sql(f"SELECT *, filename AS {FILE} FROM {table.name}").to_spark()
            self.kept[table.name] = frame.cache()
        return self.kept[table.name]

    def close(self) -> None:
        for frame in self.kept.values():
            frame.unpersist()
        self.slow.close()
        self.fast.close()


@contextmanager
def subject(
    folder: Path, tables: Sequence[MadeTable], spark: SparkSession | None = None, dialect: str = "spark"
) -> Iterator[Subject]:
    """A new lake with these tables."""
    folder.mkdir(parents=True, exist_ok=True)
    fast = forklake.connect(dialect=dialect, spark=spark, settings=None if spark else SETTINGS)
    target = f"sqlite:{folder / 'lake.db'}"
    fast.attach(target, "lake", catalog="main", create_if_not_exists=True, data_inlining_row_limit=0)
    for table in tables:
        table.build(fast, range(len(table.steps) // 2))
    fast.sql("FORK CATALOG lake AS work")
    fast.detach("lake")
    fast.attach(target, "lake", catalog="work", data_inlining_row_limit=0)
    fast.sql("USE lake")
    for table in tables:
        table.build(fast, range(len(table.steps) // 2, len(table.steps)))
    made = Subject(folder, fast, without_shortcuts(fast), tuple(tables))
    try:
        yield made
    finally:
        made.close()


@contextmanager
def speaking(made: Subject, dialect: str) -> Iterator[Subject]:
    """The same lake in sessions of another dialect."""
    fast = forklake.connect(dialect=dialect, spark=made.fast.spark)
    fast.attach(f"sqlite:{made.folder / 'lake.db'}", "lake", catalog="work")
    other = Subject(made.folder, fast, without_shortcuts(fast), made.tables)
    try:
        yield other
    finally:
        other.close()


@contextmanager
def interpreted(spark: SparkSession) -> Iterator[None]:
    """Let Spark interpret expressions meanwhile: compiling a hundred takes longer than reading a hundred rows."""
    before = {name: spark.conf.get(name, None) for name in INTERPRETED}
    for name, value in INTERPRETED.items():
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
