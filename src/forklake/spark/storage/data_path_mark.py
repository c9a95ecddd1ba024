"""The ownership marker of a data path: a small file with the id of the lake whose files are there.

Two lakes in one folder would treat each other's files as orphans. So a lake marks its data path before the first write,
and neither writes nor deletes below the marker of another lake.
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
from forklake.catalog.retention.file_holders import newest_path
from forklake.errors import DataPathTaken, InvalidInput, UnwritableFile
from forklake.spark.storage.storage import MARK, Storage, local_path, storage_at

_FOLDERS_LOOKED_AT = 200
"""Maximum number of folders listed before a data path is marked."""


def claim_data_path(lake: Lake, storage: Storage) -> None:
    """Before a file is written: ensure that the data path belongs to this lake, and mark it if it is unmarked."""
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
    """Before the first files below a new marker are committed: check that it still exists.

    On an object store, another lake that also found no marker may have overwritten it.
    """
    if storage.root in lake.cache.new_marks:
        lake.cache.claimed_paths.discard(storage.root)
        _check_owner(lake_facts(lake), storage)
        lake.cache.claimed_paths.add(storage.root)
        lake.cache.new_marks.discard(storage.root)


def check_data_path(lake: Lake, storage: Storage) -> None:
    """Before a file is deleted: check that the marker exists and is that of this lake. It is read every time."""
    facts = lake_facts(lake)
    if _read_owner(storage) is None:
        # If there was a marker, it was lost: the next write of a file restores it.
        lake.cache.claimed_paths.discard(storage.root)
        raise DataPathTaken(
            f"The data path '{storage.root}' has no mark of a lake, so nothing is deleted there. If no other lake uses"
            f" it, {_marking_advice(facts, storage)}, or write a file to this lake, in this session or in a new one."
        )
    _check_owner(facts, storage)
    _check_override(facts, storage)


def check_outside_lakes(place: str) -> None:
    """Before files of a user are written: the location must not be, contain or be inside a data path."""
    try:
        storage = storage_at(local_path(place) or place)
    except InvalidInput:
        # A lake can only be in locations supported by PyArrow.
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
    """What a user can do who knows that a data path belongs to this lake, if nothing else proves it."""
    return f"create the file '{storage.root}{MARK}' with the content {_mark_content(facts.uuid)}"


def _mark_content(uuid: str) -> str:
    return json.dumps({"lake_uuid": uuid})


def _read_owner(storage: Storage, folder: str | None = None) -> str | None:
    """The lake id in the marker of a folder, by default the root; None without marker."""
    path = (storage.prefix if folder is None else folder.rstrip("/") + "/") + MARK
    try:
        with storage.files.open_input_stream(path) as stream:
            return str(json.loads(stream.read().decode())["lake_uuid"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnwritableFile(f"The mark of the data path, '{path}', cannot be read: {error}") from error
    except (ValueError, KeyError, TypeError):
        raise DataPathTaken(f"The mark of the data path, '{path}', is damaged: it contains no lake id.") from None


def _check_owner(facts: LakeFacts, storage: Storage) -> None:
    owner = _read_owner(storage)
    if owner != facts.uuid:
        raise DataPathTaken(
            f"The data path '{storage.root}' belongs to the lake {owner}, as its file '{MARK}' says; this is the lake"
            f" {facts.uuid}. Give each lake a data path of its own."
        )


def _check_override(facts: LakeFacts, storage: Storage) -> None:
    """Stored paths are relative to the data path: a file written elsewhere would not be found by others."""
    if facts.data_path is None:
        return
    kept = storage_at(facts.data_path)
    if kept.root == storage.root or _is_same_folder(kept, storage) or not _has_mark(kept, facts.uuid):
        return
    raise InvalidInput(
        f"The files of this lake are in '{kept.root}'. With OVERRIDE_DATA_PATH, those in '{storage.root}' can be read,"
        " but not written or deleted: other sessions would not find them."
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
    """Check that an unmarked data path may be claimed: without foreign files, and not inside another lake's."""
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
        # There can be no lake of a user in folders that the user cannot read.
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
    """Files below the data path, in breadth-first order."""
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
    """Write the marker unless there is one. Of concurrent writers, the first wins on a local disk, elsewhere the last.

    So it is read again before anything is written below it.
    """
    path, content = storage.prefix + MARK, f"{_mark_content(uuid)}\n".encode()
    try:
        if storage.is_local:
            storage.files.create_dir(storage.prefix, recursive=True)
            _write_new_file(path, content)
        else:
            with storage.files.open_output_stream(path) as stream:
                stream.write(content)
    except OSError as error:
        raise UnwritableFile(f"The mark of the data path, '{path}', cannot be written: {error}") from error


def _write_new_file(path: str, content: bytes) -> None:
    """Create a file atomically, without replacing an existing one."""
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
