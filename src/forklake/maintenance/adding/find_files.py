"""Resolves paths, folders and patterns given by users to files."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import translate

from pyarrow import fs

from forklake.errors import InvalidInput
from forklake.model.data_paths import usual_scheme
from forklake.model.names import check_text
from forklake.spark.storage.storage import Storage, check_not_empty

_SPECIAL = re.compile(r"[*?\[]")
_SUFFIX = ".parquet"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file with the name by which it was found: an absolute local path, or a URL."""

    name: str
    files: fs.FileSystem
    path: str
    """The path in its file system."""
    real_path: str
    """Identifies the file, regardless of links."""
    size: int


def find_files(storage: Storage, given: Sequence[str]) -> list[FoundFile]:
    """The distinct files in the order given; those of a pattern by name.

    A folder stands for all Parquet files below it. Raises InvalidInput for a path without files.
    """
    found: dict[str, FoundFile] = {}
    for text in given:
        place = _locate(storage, text)
        try:
            named = list(_list_files(place))
        except (OSError, UnicodeError) as error:
            raise InvalidInput(f'The files of "{text}" cannot be listed: {error}') from error
        if not named:
            raise InvalidInput(f'No files found that match the pattern "{text}"')
        for info in named:
            file = place.found_file(info)
            found.setdefault(file.real_path, file)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _FileLocation:
    """A path or pattern with its file system."""

    files: fs.FileSystem
    pattern: str
    base: str
    """The part of a URL before the path in the file system; empty for local paths."""

    def found_file(self, info: fs.FileInfo) -> FoundFile:
        real = self.base + info.path if self.base else os.path.realpath(info.path)
        return FoundFile(self.base + info.path, self.files, info.path, real, info.size)


def _locate(storage: Storage, text: str) -> _FileLocation:
    check_text(text, "path")
    check_not_empty(text)
    url, base = usual_scheme(text).rstrip("/"), storage.root.removesuffix(storage.prefix)
    if "://" not in text or url.startswith("file://"):
        local = os.path.abspath(os.path.expanduser(text.partition("://")[2] or text))
        return _FileLocation(fs.LocalFileSystem(), local, "")
    if storage.is_local or not url.startswith(base):
        raise InvalidInput(f'The path "{text}" is neither local nor on the file system of the lake, {storage.root}.')
    path = url.removeprefix(base)
    if not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise InvalidInput(f'The path "{text}" has an empty part, or . or .. as a part; give a normalized path.')
    return _FileLocation(storage.files, path, base)


def _list_files(place: _FileLocation) -> Iterator[fs.FileInfo]:
    info = place.files.get_file_info(place.pattern)
    if info.is_file:
        yield info
    elif info.type == fs.FileType.Directory:
        yield from _sorted_by_path(each for each in _entries_below(place.files, place.pattern) if _is_parquet(each))
    elif _SPECIAL.search(place.pattern):
        yield from _sorted_by_path(_files_matching(place.files, place.pattern))


def _sorted_by_path(found: Iterator[fs.FileInfo]) -> list[fs.FileInfo]:
    return sorted(found, key=lambda info: info.path)


def _is_parquet(info: fs.FileInfo) -> bool:
    return bool(info.is_file and info.base_name.endswith(_SUFFIX))


def _files_matching(files: fs.FileSystem, pattern: str) -> Iterator[fs.FileInfo]:
    """The files matching a pattern, folder by folder: only matching folders are listed."""
    *folders, last = pattern.split("/")
    plain = next((at for at, part in enumerate(folders) if _SPECIAL.search(part)), len(folders))
    start = "/".join(folders[:plain]) or "/"[: pattern.startswith("/")]
    level = [start] if files.get_file_info(start).type == fs.FileType.Directory else []
    for part in folders[plain:]:
        if part == "**":
            level += [info.path for folder in level for info in _entries_below(files, folder) if not info.is_file]
        else:
            level = [info.path for folder in level for info in _entries_named(files, folder, part) if not info.is_file]
    for folder in dict.fromkeys(level):
        found = _entries_below(files, folder) if last == "**" else _entries_named(files, folder, last)
        yield from (info for info in found if info.is_file)


def _entries_named(files: fs.FileSystem, folder: str, pattern: str) -> Iterator[fs.FileInfo]:
    matches = re.compile(translate(pattern))
    for info in files.get_file_info(fs.FileSelector(folder, allow_not_found=True)):
        if matches.match(info.base_name):
            yield info


def _entries_below(files: fs.FileSystem, folder: str) -> Iterator[fs.FileInfo]:
    """All files and folders below a folder; links to folders are not followed, because of possible cycles."""
    waiting = [folder]
    while waiting:
        for info in files.get_file_info(fs.FileSelector(waiting.pop(), allow_not_found=True)):
            if info.is_file:
                yield info
            elif not (isinstance(files, fs.LocalFileSystem) and os.path.islink(info.path)):
                yield info
                waiting.append(info.path)
