"""Files that are the user's: written beside what was there before, and never into a lake."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex

from pyarrow import fs
from pyspark.sql import DataFrameWriter

from forklake.errors import AlreadyExists, InvalidInput
from forklake.spark.data_path_mark import check_outside_lakes
from forklake.spark.storage import Storage, storage_at

_OF_EVERY_JOB = ("_SUCCESS", "._SUCCESS.crc")


def export(writer: DataFrameWriter, file_format: str, place: str, *, overwrite: bool) -> None:
    """Write files into a folder. What it replaces is deleted when they are all there, and stays if they fail.

    Not by Spark's own mode, which deletes first: a query that fails, or that reads these very files, would leave none.
    """
    check_outside_lakes(place)
    with _replacing(place) if overwrite else _new(place):
        writer.mode("append").format(file_format).save(place)


@contextmanager
def _new(place: str) -> Iterator[None]:
    storage = _storage(place)
    if storage is not None and _info(storage).type != fs.FileType.NotFound:
        raise AlreadyExists(f"{place} already exists, and is not overwritten unless that is asked for.")
    yield


@contextmanager
def _replacing(place: str) -> Iterator[None]:
    storage = _storage(place)
    if storage is None:
        raise InvalidInput(f"Files in '{place}' cannot be replaced: PyArrow does not know this file system.")
    if _info(storage).is_file:
        with _put_aside(storage):
            yield
        return
    old = list(_files_in(storage))
    yield
    for path in old:
        storage.files.delete_file(path)


@contextmanager
def _put_aside(storage: Storage) -> Iterator[None]:
    """A single file makes room for a folder, and comes back if that is not written."""
    path = storage.prefix.rstrip("/")
    aside = f"{path}.{token_hex(8)}"
    storage.files.move(path, aside)
    try:
        yield
    except BaseException:
        with suppress(OSError):
            storage.files.delete_dir(path)
        storage.files.move(aside, path)
        raise
    storage.files.delete_file(aside)


def _files_in(storage: Storage) -> Iterator[str]:
    selector = fs.FileSelector(storage.prefix.rstrip("/"), recursive=True, allow_not_found=True)
    for info in storage.files.get_file_info(selector):
        if info.is_file and os.path.basename(info.path) not in _OF_EVERY_JOB:
            yield info.path


def _info(storage: Storage) -> fs.FileInfo:
    return storage.files.get_file_info(storage.prefix.rstrip("/"))


def _storage(place: str) -> Storage | None:
    try:
        return storage_at(place)
    except InvalidInput:
        return None
