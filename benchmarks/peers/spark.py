"""One Spark for everything that runs on Spark: ourselves, plain Parquet, Iceberg and Delta."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.report import Facts
from forklake.spark.session import ONE_MACHINE

ICEBERG_VERSION, DELTA_VERSION = "1.11.0", "4.4.0"
PACKAGES = (
    f"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:{ICEBERG_VERSION}",
    f"io.delta:delta-spark_4.1_2.13:{DELTA_VERSION}",
)
"""From Maven Central. Both have builds for Spark 4.1 and for none that is newer."""
JARS = Path(".benchmarks/ivy")

PEERS: Mapping[str, str] = {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions,"
    "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.ice.type": "hadoop",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
TUNING: Mapping[str, str] = {
    # Its own default is 50 tasks for every look at a table, which is for clusters.
    "spark.databricks.delta.snapshotPartitions": "2",
    # Compaction removes all deleted rows, as ours and Iceberg's do here; files with few of them would stay otherwise.
    "spark.databricks.delta.optimize.maxDeletedRowsRatio": "0.0",
    # Old files go at once, as they do with the others here.
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
    "spark.databricks.delta.vacuum.parallelDelete.enabled": "true",
}
"""What a careful user of a peer sets on one machine."""


def start_spark(folder: Path, cores: int, memory: str) -> SparkSession:
    """A session with the peers in it, whose tables live in the folder; their jars are fetched once."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    for name, value in spark_settings(folder, cores, memory).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def spark_settings(folder: Path, cores: int, memory: str) -> dict[str, str]:
    return {
        **ONE_MACHINE,
        **PEERS,
        **TUNING,
        "spark.master": f"local[{cores}]",
        "spark.driver.memory": memory,
        "spark.local.dir": str(folder / "spark"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.catalog.ice.warehouse": str(folder / "iceberg"),
        "spark.jars.packages": ",".join(PACKAGES),
        "spark.jars.ivy": str(JARS.absolute()),
    }


def spark_facts(cores: int, memory: str) -> Facts:
    """What was set, but for names of folders."""
    return {**ONE_MACHINE, **TUNING, "spark.master": f"local[{cores}]", "spark.driver.memory": memory}
