"""What OVERWRITE may replace: files that an export has written, and nothing else of the user or of a lake."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress

from forklake.errors import InvalidInput
from forklake.spark.storage.storage import Storage, local_path

OF_EVERY_JOB = ("_SUCCESS", "._SUCCESS.crc")
"""Files that every export rewrites."""
_UNFINISHED = "_temporary/"
"""The folder in which Spark leaves the files of an export that was killed."""
_CODEC = r"(\.(gz|bz2|zst|lz4|snappy|deflate))?"
_PART = re.compile(rf"\.?part-\d+-[^/]*\.(csv|json|parquet){_CODEC}(\.crc)?")
_DATA_FILE = re.compile(rf".*\.(csv|tsv|json|jsonl|ndjson|parquet){_CODEC}", re.IGNORECASE | re.DOTALL)
_SQLITE_HEADER = b"SQLite format 3\0"
_COMPANIONS = ("-wal", "-shm", "-journal", "-queue")
"""Endings of the files next to an SQLite database that belong to it."""


def check_no_database(place: str) -> None:
    """Before a user's files are written: check that the path is not, or inside, a file of an SQLite database."""
    path = local_path(place)
    while path is not None and path != os.path.dirname(path):
        if (database := _database_of(path)) is not None:
            raise InvalidInput(
                f"'{place}' is an SQLite database, or a file that belongs to one, '{database}': write elsewhere."
            )
        path = os.path.dirname(path)


def check_replaceable_file(path: str) -> None:
    """A single file is replaced only if it has the suffix of a data file; databases are excluded before."""
    if not _DATA_FILE.fullmatch(path.rpartition("/")[2]):
        raise InvalidInput(
            f"'{path}' is a file whose name does not end as those of exports do, such as .csv, .json or .parquet. It is"
            " not overwritten: write elsewhere, or remove it first."
        )


def files_to_replace(storage: Storage, folder: str) -> list[str]:
    """The files of earlier exports in a folder; InvalidInput if there are others, except hidden ones."""
    return [path for path in _checked_files(storage, folder) if path.rpartition("/")[2] not in OF_EVERY_JOB]


def _checked_files(storage: Storage, folder: str) -> Iterator[str]:
    top = storage.path(folder) + "/"
    for info in storage.walk(folder):
        relative = info.path.removeprefix(top)
        if storage.is_local and (database := _database_of(info.path)) is not None:
            raise InvalidInput(
                f"'{top.rstrip('/')}' holds an SQLite database, '{database}', maybe the metadata of a lake. It is not"
                " overwritten: write elsewhere."
            )
        if _is_of_export(relative):
            yield info.path
        elif "/" in relative or not relative.startswith((".", "_")):
            raise InvalidInput(
                f"'{top.rstrip('/')}' holds files that no export has written, for example '{info.path}'. They are not"
                " overwritten: write elsewhere, or remove them first."
            )


def _is_of_export(relative: str) -> bool:
    """Whether an export of Spark writes files with this path, below its folder."""
    if relative.startswith(_UNFINISHED):
        return True
    return relative in OF_EVERY_JOB or _PART.fullmatch(relative) is not None


def _database_of(path: str) -> str | None:
    """The SQLite database that a local file is, or belongs to."""
    stems = [path.removesuffix(ending) for ending in _COMPANIONS if path.endswith(ending)]
    return next((each for each in (path, *stems) if _is_database(each)), None)


def _is_database(path: str) -> bool:
    """Whether a local file is an SQLite database.

    One that this process may have open is recognised by the files next to it. It must not be opened here: when a
    process closes a file, it loses all its locks on it, including SQLite's. Reading a pipe could block forever.
    """
    if not os.path.isfile(path):
        return False
    if any(os.path.lexists(path + ending) for ending in _COMPANIONS):
        return True
    with suppress(OSError), open(path, "rb") as file:
        return file.read(len(_SQLITE_HEADER)) == _SQLITE_HEADER
    return False
