"""The check that driver and executors see the same files in a local folder.

If each machine has a disk of its own under the same path, executors write files that the driver never sees, and their
rows would be missing from the commit. Object stores are shared by nature.
"""

import os
import shutil
from contextlib import suppress
from secrets import token_hex
from uuid import uuid4

from pyspark.sql import SparkSession

from forklake.errors import FolderNotShared, UnwritableFile
from forklake.model.data_paths import as_pattern
from forklake.spark.session.job_settings import READ_OPTIONS, spark_settings

SHARE_FOLDERS = "Use an object store, or a folder that is mounted at this path on every machine."
_PROBES = 32
"""More than one task for each executor of a small cluster, and few enough for the driver to list."""
# More than a file has, so that none is split, and less than two take.
_ONE_FILE_PER_TASK = {"spark.sql.files.maxPartitionBytes": "64", "spark.sql.files.openCostInBytes": "64"}


def check_shared(spark: SparkSession, folder: str) -> None:
    """Let Spark read small files that are written here, below a local folder. Raises FolderNotShared if it cannot."""
    written = uuid4().hex
    probes = os.path.join(folder, f"_forklake_probe_{token_hex(8)}")
    try:
        os.makedirs(probes)
        for number in range(_PROBES):
            with open(os.path.join(probes, f"{number}.txt"), "w") as file:
                file.write(written)
        found = _read_probes(spark, probes)
    except OSError as error:
        raise UnwritableFile(f"The folder '{folder}' cannot be written: {error}") from error
    finally:
        with suppress(OSError):
            shutil.rmtree(probes)
    if found != [written] * _PROBES:
        raise FolderNotShared(
            f"Executors of Spark do not see the files that this process writes to '{folder}', so what they write would"
            f" be lost. {SHARE_FOLDERS}"
        )


def _read_probes(spark: SparkSession, folder: str) -> list[str]:
    """What executors read, one file per task: each file that its task finds."""
    # A task that failed would be repeated, perhaps where the file is.
    reader = spark.read.options(**{**READ_OPTIONS, "wholetext": "true", "ignoreMissingFiles": "true"})
    with spark_settings(spark, _ONE_FILE_PER_TASK):
        try:
            return [row[0] for row in reader.text(as_pattern(f"file://{folder}")).collect()]
        except Exception as error:
            # Over Spark Connect, the driver of the server may not see them.
            if any(sign in str(error) for sign in ("PATH_NOT_FOUND", "FILE_NOT_EXIST", "FileNotFound")):
                return []
            raise
