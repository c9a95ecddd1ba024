"""What a benchmark gets: one Spark for both sides, sizes, and the tables that several of them share."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.data.rows import COLUMNS, frame_of_rows
from benchmarks.data.settings import Sizes
from benchmarks.data.small_files import CATALOG, TABLE, add_files, write_files
from benchmarks.databases import Backend, Databases, Place
from benchmarks.report import Figure
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.api.table import TableHandle

Result = list[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Stored:
    """A table in a catalog of its own, and the one folder that has its files and no others."""

    lake: CatalogHandle
    place: Place
    data: Path
    """Where files of the lake go."""
    folder: str = ""

    @property
    def table(self) -> TableHandle:
        return self.lake.table(TABLE)


@dataclass(slots=True)
class Bench:
    """One Spark during one run. What is not said otherwise is measured with the metadata in SQLite."""

    databases: Databases
    session: Session
    sizes: Sizes
    _numbers: Iterator[int] = field(default_factory=count, init=False)
    _large: Stored | None = field(default=None, init=False)
    _small: Stored | None = field(default=None, init=False)
    _outputs: list[Path] = field(default_factory=list, init=False)

    @property
    def spark(self) -> SparkSession:
        return self.session.spark

    def large(self) -> Stored:
        """The large table, appended as a DataFrame by the first who asks."""
        if self._large is None:
            stored = self.new_table()
            stored.table.append(frame_of_rows(self.spark, self.sizes.rows, self.sizes.files))
            [folder] = {file.parent for file in stored.data.rglob("*.parquet")}
            self._large = replace(stored, folder=folder.as_uri())
        return self._large

    def small(self) -> Stored:
        """The table of small files with consecutive ids, made by the first who asks."""
        if self._small is None:
            stored = self.new_table()
            folder = stored.data / "small"
            write_files(folder, self.sizes.small_files, self.sizes.small_rows)
            add_files(stored.place, stored.data, folder)
            self._small = replace(stored, folder=folder.as_uri())
        return self._small

    def new_table(self, backend: Backend = "sqlite") -> Stored:
        """An empty table in a new lake."""
        data, place = self.databases.new_folder(), self.databases.new_place(backend)
        lake = self.session.attach(
            place.url,
            f"lake-{next(self._numbers)}",
            catalog=CATALOG,
            data_path=str(data),
            create_if_not_exists=True,
        )
        lake.create_table(TABLE, COLUMNS)
        return Stored(lake, place, data)

    def forked(self, stored: Stored) -> TableHandle:
        """The table in a new fork: changed there, it stays as it is for everybody else."""
        return self.fork_of(stored).table(TABLE)

    def fork_of(self, stored: Stored) -> CatalogHandle:
        return stored.lake.fork(f"fork-{next(self._numbers)}")

    def new_output(self) -> str:
        """A folder to write to, which `forget_outputs` removes."""
        folder = self.databases.folder / f"output-{next(self._numbers)}"
        self._outputs.append(folder)
        return folder.as_uri()

    def new_output_table(self) -> TableHandle:
        """An empty table, whose files `forget_outputs` removes."""
        stored = self.new_table()
        self._outputs.append(stored.data)
        return stored.table

    def forget_outputs(self) -> None:
        """Remove what was written last, so that the disk is not still busy with it during the next measurement."""
        for folder in self._outputs:
            shutil.rmtree(folder, ignore_errors=True)
        self._outputs.clear()
        os.sync()


Benchmark = Callable[[Bench], Iterator[Figure]]


def aggregated(rows: DataFrame) -> Result:
    """The aggregate of two columns that stands for reading a table."""
    return [tuple(row) for row in rows.agg(F.sum("quantity"), F.max("price")).collect()]


def check_same(ours: Result, theirs: Result) -> None:
    """Both sides must have read the same rows, or the comparison means nothing."""
    if ours != theirs:
        raise AssertionError(f"the two sides do not agree: {ours} and {theirs}")
