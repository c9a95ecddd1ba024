"""The mark of a data path: a small file with the id of the lake whose files are there.

Two lakes in one folder take each other's files for orphans. So a lake marks its data path before it first writes there,
and neither writes nor deletes below the mark of another.
"""

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from posixpath import dirname

from pyarrow import fs

from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.open_lake import LakeFacts, lake_facts
from forklake.catalog.retention.known_paths import newest_path
from forklake.errors import DataPathTaken, InvalidInput, UnwritableFile
from forklake.spark.storage.storage import MARK, Storage, storage_at

_FOLDERS_LOOKED_AT = 200
"""Maximum number of folders that are listed before a data path is marked."""


def claim_data_path(lake: Lake, storage: Storage) -> None:
    """Before a file is written: make sure that the data path is this lake's, and mark it if nobody has."""
    if storage.root in lake.cache.claimed_paths:
        return
    facts = lake_facts(lake)
    if _read_owner(storage) is None:
        _check_unmarked(lake, facts, storage)
        _write_mark(storage, facts.uuid)
        lake.cache.new_marks.add(storage.root)
    _check_owner(facts, storage)
    _check_override(facts, storage)
    lake.cache.claimed_paths.add(storage.root)


def confirm_data_path(lake: Lake, storage: Storage) -> None:
    """Before the first files below a new mark are committed: it is there still.

    On an object store, another lake that found no mark either may have written its own over it.
    """
    if storage.root in lake.cache.new_marks:
        lake.cache.claimed_paths.discard(storage.root)
        _check_owner(lake_facts(lake), storage)
        lake.cache.claimed_paths.add(storage.root)
        lake.cache.new_marks.discard(storage.root)


def check_data_path(lake: Lake, storage: Storage) -> None:
    """Before a file is deleted: the mark is there, and is this lake's. It is read every time."""
    facts = lake_facts(lake)
    if _read_owner(storage) is None:
        # The mark is lost if there has been one: the next file that is written brings it back.
        lake.cache.claimed_paths.discard(storage.root)
        raise DataPathTaken(
            f"The data path '{storage.root}' has no mark of a lake, so nothing is deleted there. If no other lake uses"
            f" it, {_marking_advice(facts, storage)}, or write a file to this lake, in this session or in a new one."
        )
    _check_owner(facts, storage)
    _check_override(facts, storage)


def check_outside_lakes(place: str) -> None:
    """Before files of a user are written: the place is no lake's, holds none and lies in none."""
    try:
        storage = storage_at(place if "://" in place else os.path.realpath(place))
    except InvalidInput:
        # A lake can only be where PyArrow can reach it.
        return
    for folder in (storage.prefix, *_parent_folders(storage)):
        with suppress(UnwritableFile):
            if (owner := _read_owner(storage, folder)) is not None:
                raise DataPathTaken(f"'{place}' is, or lies in, the data path of the lake {owner}: write elsewhere.")
    is_folder = storage.files.get_file_info(storage.prefix.rstrip("/")).type == fs.FileType.Directory
    for path in _files_near_top(storage) if is_folder else ():
        name = path.rpartition("/")[2]
        if name == MARK or (name.startswith("ducklake-") and name.endswith(".parquet")):
            raise DataPathTaken(f"'{place}' holds files of a lake, for example '{path}': write elsewhere.")


def _marking_advice(facts: LakeFacts, storage: Storage) -> str:
    """What a user can do who knows that a data path is this lake's, when nothing else can prove it."""
    return f"create the file '{storage.root}{MARK}' with the content {_mark_content(facts.uuid)}"


def _mark_content(uuid: str) -> str:
    return json.dumps({"lake_uuid": uuid})


def _read_owner(storage: Storage, folder: str | None = None) -> str | None:
    """The id in the mark of a folder, by default the root; None if it has no mark."""
    path = (storage.prefix if folder is None else folder.rstrip("/") + "/") + MARK
    try:
        with storage.files.open_input_stream(path) as stream:
            return str(json.loads(stream.read().decode())["lake_uuid"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnwritableFile(f"The mark of the data path, '{path}', cannot be read: {error}") from error
    except (ValueError, KeyError, TypeError):
        raise DataPathTaken(f"The mark of the data path, '{path}', is damaged: it names no lake.") from None


def _check_owner(facts: LakeFacts, storage: Storage) -> None:
    owner = _read_owner(storage)
    if owner != facts.uuid:
        raise DataPathTaken(
            f"The data path '{storage.root}' belongs to the lake {owner}, as its file '{MARK}' says; this is the lake"
            f" {facts.uuid}. Give each lake a data path of its own."
        )


def _check_override(facts: LakeFacts, storage: Storage) -> None:
    """Paths are kept from the data path on: a file that is written elsewhere is found by nobody else."""
    if facts.data_path is None:
        return
    kept = storage_at(facts.data_path)
    if kept.root == storage.root or _is_same_folder(kept, storage) or not _has_mark(kept, facts.uuid):
        return
    raise InvalidInput(
        f"The files of this lake are in '{kept.root}'. With OVERRIDE_DATA_PATH, those in '{storage.root}' can be read,"
        " but not written or deleted: everybody else would miss them."
    )


def _has_mark(storage: Storage, uuid: str) -> bool:
    try:
        return _read_owner(storage) == uuid
    except (UnwritableFile, DataPathTaken):
        return True


def _is_same_folder(one: Storage, other: Storage) -> bool:
    with suppress(OSError):
        return one.is_local and other.is_local and os.path.samefile(one.prefix, other.prefix)
    return False


def _check_unmarked(lake: Lake, facts: LakeFacts, storage: Storage) -> None:
    """Whether a data path without a mark may become this lake's: nobody else's files are in it, nor it in another's."""
    known = newest_path(lake)
    if facts.data_path is not None and storage_at(facts.data_path).root != storage.root:
        is_ours = known is not None and storage.files.get_file_info(storage.path(known)).is_file
        if not is_ours:
            raise InvalidInput(
                f"With OVERRIDE_DATA_PATH, files can be written to '{storage.root}' only if it is this lake's data"
                " path, moved: it has neither the lake's mark nor its newest file."
            )
    for folder in _parent_folders(storage):
        owner = None
        # Whoever may not look there can have no lake there.
        with suppress(UnwritableFile):
            owner = _read_owner(storage, folder)
        if owner not in (None, facts.uuid):
            raise DataPathTaken(
                f"The data path '{storage.root}' lies in '{folder}', which belongs to the lake {owner}. Give this lake,"
                f" {facts.uuid}, a data path of its own."
            )
    for path in _files_near_top(storage):
        name = path.rpartition("/")[2]
        if name == MARK and _read_owner(storage, dirname(path)) != facts.uuid:
            raise DataPathTaken(
                f"The data path '{storage.root}' holds that of the lake {_read_owner(storage, dirname(path))}, in"
                f" '{dirname(path)}'. Give this lake, {facts.uuid}, a data path of its own."
            )
        if known is None and name.startswith("ducklake-") and name.endswith(".parquet"):
            raise DataPathTaken(
                f"The data path '{storage.root}' holds files of another lake or of a DuckLake, for example '{path}',"
                f" and none of this lake, {facts.uuid}. Give it a data path of its own. If they are its own, left by"
                f" statements that failed, and no other lake uses the data path, {_marking_advice(facts, storage)}."
            )


def _parent_folders(storage: Storage) -> Iterator[str]:
    folder = dirname(storage.prefix.rstrip("/"))
    while folder and folder != dirname(folder):
        yield folder
        folder = dirname(folder)


def _files_near_top(storage: Storage) -> Iterator[str]:
    """Files below the data path, those near the top first."""
    waiting = [storage.prefix]
    for _ in range(_FOLDERS_LOOKED_AT):
        if not waiting:
            return
        try:
            found = storage.files.get_file_info(fs.FileSelector(waiting.pop(0), allow_not_found=True))
        except OSError as error:
            raise UnwritableFile(f"The data path '{storage.root}' cannot be listed: {error}") from error
        for info in found:
            if info.is_file:
                yield info.path
            elif not (storage.is_local and os.path.islink(info.path)):
                waiting.append(info.path)


def _write_mark(storage: Storage, uuid: str) -> None:
    """Write the mark unless there is one. Of several on a local disk one succeeds; elsewhere the last one does.

    So it is read again before anything is written under it.
    """
    path, content = storage.prefix + MARK, f"{_mark_content(uuid)}\n".encode()
    try:
        storage.files.create_dir(storage.prefix.rstrip("/"), recursive=True)
        if storage.is_local:
            _write_new_file(path, content)
        else:
            with storage.files.open_output_stream(path) as stream:
                stream.write(content)
    except OSError as error:
        raise UnwritableFile(f"The mark of the data path, '{path}', cannot be written: {error}") from error


def _write_new_file(path: str, content: bytes) -> None:
    """Put a file in place whole, and never over another."""
    draft = f"{path}.{secrets.token_hex(8)}"
    try:
        with open(draft, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)
