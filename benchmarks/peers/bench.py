"""What a benchmark gets: one Spark, sizes, and engines with empty schemas."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.databases import Backend, Databases
from benchmarks.peers.duckdb_engine import DuckLake, Metadata
from benchmarks.peers.forklake_engine import Forklake
from benchmarks.peers.plots import Chart
from benchmarks.peers.settings import Sizes
from benchmarks.peers.spark_engines import Delta, Iceberg, RawSpark
from benchmarks.report import Figure
from forklake.api.session import Session


@dataclass(slots=True)
class Bench:
    """One Spark during one run. Every engine that is made has no tables yet, and shares none with the others."""

    databases: Databases
    session: Session
    sizes: Sizes
    cores: int = 2
    alone: bool = False
    """Without Iceberg and Delta, which this Spark does not know."""
    charts: list[Chart] = field(default_factory=list)
    """What is drawn at the end."""
    sources: dict[float, dict[str, Path]] = field(default_factory=dict, init=False)
    """The Parquet files of TPC-H that were made, by scale factor."""
    _numbers: Iterator[int] = field(default_factory=lambda: count(1), init=False)

    @property
    def spark(self) -> SparkSession:
        return self.session.spark

    def forklake(self, backend: Backend = "sqlite") -> Forklake:
        place = self.databases.new_place(backend)
        return Forklake(self.session, place, self.databases.new_folder(), f"lake_{next(self._numbers)}")

    def raw(self) -> RawSpark:
        return RawSpark(self.spark, self._schema(), self.databases.new_folder())

    def iceberg(self) -> Iceberg:
        return Iceberg(self.spark, self._schema())

    def delta(self) -> Delta:
        return Delta(self.spark, self._schema())

    def ducklake(self, metadata: Metadata = "duckdb") -> DuckLake:
        folder = self.databases.new_folder()
        if metadata == "postgres":
            address = self.databases.new_place("postgres").address
        else:
            address = str(folder / f"metadata.{metadata}")
        return DuckLake(metadata, address, folder / "data", self.cores)

    def _schema(self) -> str:
        return f"schema_{next(self._numbers)}"


Benchmark = Callable[[Bench], Iterator[Figure]]
