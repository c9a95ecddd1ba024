"""Files that are to be deleted, with what lies beside them.

Those that cannot be deleted are orphans for cleanup to find.
"""

import re
from collections.abc import Collection
from posixpath import basename, dirname

from forklake.spark.storage.storage import Storage

_OF_ONE_JOB = re.compile(r"(.*/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/")
"""A path below a folder that was made for the files of one job of Spark alone."""


def remove_files(storage: Storage, paths: Collection[str]) -> list[str]:
    """Delete files that nobody can see, with what Spark has put beside them; returns those that are gone."""
    gone = [path for path in paths if storage.delete(path)]
    if storage.is_local:
        for path in gone:
            storage.delete(checksum_path(path))
        for folder in {found[1] for path in gone if (found := _OF_ONE_JOB.match(path))}:
            storage.remove_empty(folder)
    return gone


def checksum_path(path: str) -> str:
    """Where Hadoop keeps the checksums of a local file."""
    return f"{dirname(path)}/.{basename(path)}.crc"
