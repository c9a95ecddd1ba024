"""What keeps a file from being written, told with the name of the file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from forklake.errors import UnwritableFile


@contextmanager
def writing_file(path: str) -> Iterator[None]:
    """Around writes to one file: storage that is full, or that refuses, is an error of ours."""
    try:
        yield
    except OSError as error:
        raise UnwritableFile(f"The file {path} cannot be written: {_reason(error)}.") from error


def _reason(error: OSError) -> str:
    """The system's own words; those of an object store, as far as they are on one line."""
    return os.strerror(error.errno) if error.errno else str(error).partition("\n")[0].rstrip(".")
