"""Removal of files, with the auxiliary files next to them.

Files that cannot be deleted become orphans, for cleanup to find.
"""

import re
from collections.abc import Collection
from posixpath import basename, dirname

from forklake.spark.storage.storage import Storage

_OF_ONE_JOB = re.compile(r"(.*/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/")
"""A path below a folder created for the files of a single Spark job."""


def remove_files(storage: Storage, paths: Collection[str]) -> list[str]:
    """Delete files that nothing can see, with Spark's auxiliary files; returns those that no longer exist."""
    gone = [path for path in paths if storage.delete(path)]
    if storage.is_local:
        for path in gone:
            storage.delete(checksum_path(path))
        for folder in {found[1] for path in gone if (found := _OF_ONE_JOB.match(path))}:
            storage.remove_empty(folder)
    return gone


def checksum_path(path: str) -> str:
    """Where Hadoop stores the checksums of a local file."""
    return f"{dirname(path)}/.{basename(path)}.crc"
