"""One Spark for everything that runs on Spark: ourselves, plain Parquet, Iceberg and Delta."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.report import Facts
from forklake.spark.session.provider import ONE_MACHINE

ICEBERG_VERSION, DELTA_VERSION, SQLITE_VERSION = "1.11.0", "4.4.0", "3.53.4.0"
PACKAGES = (
    f"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:{ICEBERG_VERSION}",
    f"io.delta:delta-spark_4.1_2.13:{DELTA_VERSION}",
    f"org.xerial:sqlite-jdbc:{SQLITE_VERSION}",
)
"""From Maven Central. Spark 4.1 is the newest that both formats have builds for."""
JARS = Path(".benchmarks/ivy")

PEERS: Mapping[str, str] = {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions,"
    "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
    # Names of tables are in a SQLite file, as ours are.
    "spark.sql.catalog.ice.type": "jdbc",
    "spark.sql.catalog.ice.jdbc.schema-version": "V1",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
TUNING: Mapping[str, str] = {
    # Manifests that were read are kept, as we keep the lists of files that Spark has read.
    "spark.sql.catalog.ice.io.manifest.cache-enabled": "true",
    # Its own default is 50 tasks for every look at a table, which is for clusters.
    "spark.databricks.delta.snapshotPartitions": "2",
    # Compaction removes all deleted rows, as ours and Iceberg's do here; files with few of them would stay otherwise.
    "spark.databricks.delta.optimize.maxDeletedRowsRatio": "0.0",
    # Old files go at once, as they do with the others here.
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
    "spark.databricks.delta.vacuum.parallelDelete.enabled": "true",
}
"""What a careful user of a peer sets on one machine."""


def start_spark(folder: Path, cores: int, memory: str, *, alone: bool = False) -> SparkSession:
    """A session with the peers in it, whose tables live in the folder; their jars are fetched once. Or without them."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    for name, value in spark_settings(folder, cores, memory, alone=alone).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def spark_settings(folder: Path, cores: int, memory: str, *, alone: bool = False) -> dict[str, str]:
    plain = {
        **ONE_MACHINE,
        "spark.master": f"local[{cores}]",
        "spark.driver.memory": memory,
        "spark.local.dir": str(folder / "spark"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    if alone:
        return plain
    return {
        **plain,
        **PEERS,
        **TUNING,
        "spark.sql.catalog.ice.warehouse": str(folder / "iceberg"),
        "spark.sql.catalog.ice.uri": f"jdbc:sqlite:{folder / 'iceberg.db'}",
        "spark.jars.packages": ",".join(PACKAGES),
        "spark.jars.ivy": str(JARS.absolute()),
    }


def spark_facts(cores: int, memory: str, *, alone: bool = False) -> Facts:
    """What was set, but for names of folders and classes."""
    tuning = {} if alone else TUNING
    return {**ONE_MACHINE, **tuning, "spark.master": f"local[{cores}]", "spark.driver.memory": memory}
