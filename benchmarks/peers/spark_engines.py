"""The peers that run on Spark: plain Parquet, Iceberg and Delta."""

import os
import shutil
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from benchmarks.peers.engines import SparkEngine, local_path, properties
from forklake.spark.session.provider import ONE_MACHINE

# Each at its best where one statement may change few rows of a file, which is what ours does as well: deletion vectors,
# new rows in new files. All of them write Parquet compressed by snappy.
ICEBERG_PROPERTIES = {
    "format-version": "3",
    "write.delete.mode": "merge-on-read",
    "write.update.mode": "merge-on-read",
    "write.merge.mode": "merge-on-read",
    "write.parquet.compression-codec": "snappy",
    # As it is set for everybody else on this Spark.
    "read.split.open-file-cost": ONE_MACHINE["spark.sql.files.openCostInBytes"],
}
DELTA_PROPERTIES = {"delta.enableDeletionVectors": "true"}


class RawSpark(SparkEngine):
    """Plain Parquet files under a name: the floor for reading, and rewriting everything for changes."""

    name, catalog, clauses = "spark", "spark_catalog", "USING parquet"

    def __init__(self, spark: SparkSession, schema: str, folder: Path) -> None:
        super().__init__(spark, f"{schema}_raw")
        self._folder = folder
        self._numbers = count()

    def point(self, name: str, files: Iterable[Path], schema: StructType) -> None:
        """A table over files that another engine wrote, none copied and no others read."""
        folder = self._new_folder(name)
        folder.mkdir(parents=True)
        for number, file in enumerate(files):
            os.link(file, folder / f"{number}.parquet")
        columns = ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in schema.fields)
        self.drop(name)
        self.run(f"CREATE TABLE {self.table(name)} ({columns}) USING parquet LOCATION '{folder}'")

    def rewrite(self, name: str, query: str) -> None:
        """Put what a query of the table gives in the place of the table, which is what can be done without a format."""
        folder, old = self._new_folder(name), self.folder(name)
        self.spark.sql(query).write.parquet(folder.as_uri())
        self.run(f"ALTER TABLE {self.table(name)} SET LOCATION '{folder}'")
        self.run(f"REFRESH TABLE {self.table(name)}")
        shutil.rmtree(old)

    def folder(self, name: str) -> Path:
        rows = self.run(f"DESCRIBE EXTENDED {self.table(name)}")
        [location] = [value for key, value, _ in rows if key == "Location"]
        return local_path(location)

    def compact(self, name: str) -> None:
        self.rewrite(name, f"SELECT /*+ COALESCE(1) */ * FROM {self.table(name)}")

    def expire(self, name: str) -> None:
        """There are no old versions."""

    def close(self) -> None:
        super().close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _new_folder(self, name: str) -> Path:
        return self._folder / f"{name}-{next(self._numbers)}"


class Iceberg(SparkEngine):
    """Version 3 of the format, in a JDBC catalog: which metadata file is current stands in SQLite."""

    name, catalog = "iceberg", "ice"
    clauses = f"USING iceberg {properties(ICEBERG_PROPERTIES)}"

    def compact(self, name: str) -> None:
        options = "map('min-input-files', '2', 'delete-file-threshold', '1')"
        self.run(f"CALL ice.system.rewrite_data_files(table => '{self.schema}.{name}', options => {options})")

    def expire(self, name: str) -> None:
        now = "TIMESTAMP '2999-01-01 00:00:00'"
        self.run(f"CALL ice.system.expire_snapshots(table => '{self.schema}.{name}', older_than => {now})")

    def files(self, name: str) -> list[Path]:
        return [local_path(path) for (path,) in self.run(f"SELECT file_path FROM {self.table(name)}.data_files")]

    def drop(self, name: str) -> None:
        self.run(f"DROP TABLE IF EXISTS {self.table(name)} PURGE")


class Delta(SparkEngine):
    """Delta Lake with deletion vectors."""

    name, catalog = "delta", "spark_catalog"
    clauses = f"USING delta {properties(DELTA_PROPERTIES)}"

    def __init__(self, spark: SparkSession, schema: str) -> None:
        super().__init__(spark, f"{schema}_delta")

    def compact(self, name: str) -> None:
        self.run(f"OPTIMIZE {self.table(name)}")

    def expire(self, name: str) -> None:
        self.run(f"VACUUM {self.table(name)} RETAIN 0 HOURS")
