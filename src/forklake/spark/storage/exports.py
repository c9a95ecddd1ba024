"""Exported files, which belong to the user: written next to the previous ones, and never into a lake."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex

from pyspark.sql import DataFrameWriter

from forklake.errors import InvalidInput
from forklake.spark.storage.data_path_mark import check_outside_lakes
from forklake.spark.storage.earlier_exports import check_no_database, check_replaceable_file, files_to_replace
from forklake.spark.storage.storage import Storage, local_path, storage_at

_PART = re.compile(r"part-(\d+)-")
_OF_SPARK = re.compile(r"\.?(part-\d+-|_SUCCESS)")


def export(
    writer: DataFrameWriter,
    file_format: str,
    place: str,
    *,
    overwrite: bool,
    check_parts: Callable[[set[int]], None] | None = None,
) -> None:
    """Write files into a folder. Replaced files are deleted after all new ones are written, and kept on failure.

    The place must have been checked. `check_parts` gets the numbers of the partitions that have visible files, if the
    folder is local and Spark is not. Spark's overwrite mode deletes first: a query that fails, or that reads these same
    files, would leave none.
    """
    writer = writer.format(file_format)
    with _without_empty_folders(place):
        if not overwrite:
            with _checked_parts(place, check_parts), _refused_if_present(place):
                writer.mode("error").save(place)
            return
        with _replace_existing(place), _checked_parts(place, check_parts):
            writer.mode("append").save(place)


@contextmanager
def _refused_if_present(place: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if "PATH_ALREADY_EXISTS" not in str(error):
            raise
        raise InvalidInput(f"{place} already exists; the option to overwrite replaces an earlier export.") from error


@contextmanager
def _checked_parts(place: str, check: Callable[[set[int]], None] | None) -> Iterator[None]:
    """Check the files that Spark writes in the block, and delete them if the check fails."""
    if check is None:
        yield
        return
    files, folders = _contents(place)
    yield
    written, made = _contents(place)
    written, made = written - files, made - folders
    try:
        check({int(found[1]) for path in written if (found := _PART.match(os.path.basename(path)))})
    except BaseException:
        for path in written:
            # Others may have written there, too.
            if _OF_SPARK.match(os.path.basename(path)):
                with suppress(OSError):
                    os.unlink(path)
        for folder in sorted(made, reverse=True):
            with suppress(OSError):
                os.rmdir(folder)
        raise


def _contents(place: str) -> tuple[set[str], set[str]]:
    """The files and folders in a local folder, at any depth."""
    found = list(os.walk(local_path(place) or ""))
    files = {os.path.join(folder, name) for folder, _, names in found for name in names}
    return files, {folder for folder, _, _ in found}


def check_place(place: str) -> None:
    """Before a user's files are written: check that the path is not one of a lake."""
    check_no_database(place)
    check_outside_lakes(place)


@contextmanager
def _without_empty_folders(place: str) -> Iterator[None]:
    """On failure, remove the folder and its parents, as far as they did not exist before and are empty.

    Spark removes the files of a failed job itself. Whatever else is there was written by somebody else in the meantime.
    """
    made = _missing_folders(place)
    try:
        yield
    except BaseException:
        for folder in made:
            with suppress(OSError):
                os.rmdir(folder)
        raise


def _missing_folders(place: str) -> list[str]:
    """A local folder and its parents that do not exist, bottom up; object stores have no folders."""
    path, missing = local_path(place), []
    while path is not None and not os.path.lexists(path):
        missing.append(path)
        path = os.path.dirname(path)
    return missing


@contextmanager
def _replace_existing(place: str) -> Iterator[None]:
    folder, _, name = (local_path(place) or place).rstrip("/").rpartition("/")
    storage = storage_at(folder or "/")
    if storage.files.get_file_info(storage.path(name)).is_file:
        check_replaceable_file(storage.path(name))
        with _put_aside(storage, name):
            yield
        return
    # Neither through links nor in the data path of a lake.
    old = files_to_replace(storage, name)
    yield
    for path in old:
        storage.files.delete_file(path)


@contextmanager
def _put_aside(storage: Storage, name: str) -> Iterator[None]:
    """Move a single file away to make room for a folder; restored if that cannot be written."""
    path = storage.path(name)
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
