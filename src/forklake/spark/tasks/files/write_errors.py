"""Errors when writing a file, with its name."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from pyarrow import fs

from forklake.errors import UnwritableFile

_ATTEMPTS = 5

T = TypeVar("T")


@contextmanager
def translate_file_errors(path: str) -> Iterator[None]:
    """Wraps writes to a file: full or inaccessible storage raises UnwritableFile."""
    try:
        yield
    except OSError as error:
        raise UnwritableFile(f"The file {path} cannot be written: {_error_reason(error)}.") from error


def write_in_folder(files: fs.FileSystem, folder: str, write: Callable[[], T]) -> T:
    """Write into a folder, creating it first.

    Concurrent removal of files also removes empty folders: a folder that has disappeared is created again.
    """
    for attempt in range(_ATTEMPTS):
        if isinstance(files, fs.LocalFileSystem):
            with translate_file_errors(folder):
                files.create_dir(folder, recursive=True)
        try:
            return write()
        except UnwritableFile as error:
            if attempt == _ATTEMPTS - 1 or not isinstance(error.__cause__, FileNotFoundError):
                raise
    raise AssertionError("the last attempt returns or raises")


def _error_reason(error: OSError) -> str:
    """The system's message; of an object store's message, the first line."""
    return os.strerror(error.errno) if error.errno else str(error).partition("\n")[0].rstrip(".")
