"""The location of a lake's files: a root, accessed by Spark through URIs and by PyArrow through a file system."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import quote

from pyarrow import fs

from forklake.errors import InvalidInput
from forklake.model.data_paths import absolute_folder, all_schemes, as_pattern, usual_scheme
from forklake.spark.tasks.files.file_systems import file_system_at

MARK = "_forklake_lake.json"
"""The marker file that identifies the owner of a data path. Folder names of catalogs contain no dot."""
_HADOOP_SCHEMES = {"s3": "s3a"}
"""File systems with another scheme in Hadoop."""
_LOCAL_URL = re.compile(r"file:(?://[^/]*)?(/.*)", re.IGNORECASE | re.DOTALL)
"""A URL of a local path as Hadoop reads it: it ignores the host, and does not resolve escapes."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The data path of a lake. Paths passed to it are relative to the root, with `/` as separator."""

    root: str
    """An absolute local path or a URL, ending with `/`."""
    files: fs.FileSystem = field(init=False, repr=False)
    prefix: str = field(init=False, repr=False)
    """The root in PyArrow's file system."""

    def __post_init__(self) -> None:
        try:
            files, prefix = file_system_at(self.root)
        except (ValueError, NotImplementedError, OSError) as error:
            raise InvalidInput(f"The data path '{self.root}' cannot be used: {error}") from None
        object.__setattr__(self, "files", files)
        object.__setattr__(self, "prefix", prefix.rstrip("/") + "/")

    @property
    def is_local(self) -> bool:
        return isinstance(self.files, fs.LocalFileSystem)

    def path(self, relative: str, *, is_relative: bool = True) -> str:
        """The path of a file in PyArrow's file system."""
        return self.prefix + relative if is_relative else self._foreign(relative)

    def folder(self, relative: str) -> str:
        """A folder for Spark's writers, unescaped: they would take escapes as part of its name."""
        return _with_scheme(self.root + relative)

    def folder_to_read(self, relative: str) -> str:
        """A folder for Spark's readers, which take it as a pattern, with special characters escaped."""
        return as_pattern(self.folder(relative))

    def uri(self, relative: str, *, is_relative: bool = True) -> str:
        """The escaped URI of a file for Spark's file lists."""
        if not is_relative:
            return _spark_uri(relative)
        return _spark_uri(self.root + relative)

    def stored_path(self, path: str) -> str:
        """A user's path as stored in metadata: relative to the root if it is below, else unchanged."""
        full = usual_scheme(path) if "://" in path else os.path.abspath(path)
        for given, root in ((path, self.root), (full, self.root), (full, self.prefix)):
            if given.startswith(root):
                return given.removeprefix(root)
        return path

    def spellings(self, relative: str) -> list[str]:
        """All ways in which metadata may refer to a file below the root: relative, or in full with or without links."""
        roots = [self.root, self.prefix]
        if self.is_local:
            roots.append(os.path.join(os.path.realpath(self.prefix), ""))
        found = [relative, *(name for root in roots for name in all_schemes(root + relative)), *all_schemes(relative)]
        return list(dict.fromkeys(found))

    @property
    def ignores_case(self) -> bool:
        """Whether names differing in case denote the same file, as usual on Windows and macOS."""
        other = self.prefix.swapcase()
        return self.is_local and other != self.prefix and os.path.exists(other) and os.path.samefile(other, self.prefix)

    def touch(self, relative: str) -> None:
        """Set the modification time of a local file to now: it belongs to us from now on."""
        if self.is_local:
            os.utime(self.path(relative))

    def delete(self, path: str) -> bool:
        """Delete a file that nothing can see; True if it no longer exists, even if it did not exist before."""
        if self._leads_elsewhere(path):
            return False
        try:
            self.files.delete_file(self.path(path))
        except FileNotFoundError:
            return True
        except (OSError, ValueError):
            return False
        return True

    def _leads_elsewhere(self, path: str) -> bool:
        """Whether a path, or a link in it, leads outside: nothing is deleted there, whoever wrote the path."""
        if not {"", ".", ".."}.isdisjoint(path.split("/")) or "\0" in path:
            return True
        parent = os.path.dirname(path)
        return self.is_local and os.path.realpath(self.prefix + parent) != os.path.normpath(
            os.path.join(os.path.realpath(self.prefix), parent)
        )

    def walk(self, folder: str) -> Iterator[fs.FileInfo]:
        """All files below a folder, with one folder in memory at a time.

        Links are neither followed nor returned, and the data paths of other lakes are skipped.
        """
        if self._leads_elsewhere(f"{folder}/any"):
            return
        waiting = [self.path(folder)]
        while waiting:
            selector = fs.FileSelector(waiting.pop(), allow_not_found=True)
            try:
                found = self.files.get_file_info(selector)
            except NotADirectoryError:
                continue
            if any(info.base_name == MARK for info in found):
                continue
            for info in found:
                if self.is_local and os.path.islink(info.path):
                    continue
                if info.type == fs.FileType.Directory:
                    waiting.append(info.path)
                elif info.is_file:
                    yield info

    def remove_empty(self, folder: str) -> None:
        """Remove empty folders, bottom up; object stores have no folders."""
        if self.is_local and not self._leads_elsewhere(f"{folder}/any"):
            for found, _, _ in os.walk(self.path(folder), topdown=False):
                with suppress(OSError):
                    os.rmdir(found)

    def remove_empty_parents(self, path: str, up_to: str) -> None:
        """Remove the empty parent folders of a file up to, but excluding, `up_to`."""
        folder = os.path.dirname(path)
        while self.is_local and folder.startswith(f"{up_to}/") and not self._leads_elsewhere(f"{folder}/any"):
            try:
                os.rmdir(self.path(folder))
            except FileNotFoundError:
                pass
            except OSError:
                return
            folder = os.path.dirname(folder)

    def _foreign(self, path: str) -> str:
        return file_system_at(path)[1]


def storage_at(data_path: str) -> Storage:
    """The storage of a data path; a relative local path starts at the current directory."""
    return Storage(absolute_folder(data_path))


def user_place(path: str) -> str:
    """A user's path for Spark, which would resolve a relative one against the directory in which it was started."""
    check_not_empty(path)
    return path if "://" in path or _LOCAL_URL.fullmatch(path) else os.path.abspath(path)


def check_not_empty(path: str) -> None:
    """Reject an empty path, which would be the current folder and is certainly a mistake."""
    if not path.strip():
        raise InvalidInput("The path is empty. The current folder is '.'.")


def local_path(place: str) -> str | None:
    """The local path of a user's path or URL, with links resolved; None if it is not local."""
    url = _LOCAL_URL.fullmatch(place)
    if url is None and "://" in place:
        return None
    return os.path.realpath(place if url is None else url[1])


def _spark_uri(path: str) -> str:
    scheme, rest = _with_scheme(path).split("://", 1)
    bucket, slash, key = rest.partition("/")
    return f"{scheme}://{bucket}{slash}{quote(key)}"


def _with_scheme(path: str) -> str:
    if "://" not in path:
        return f"file://{path}"
    scheme, rest = usual_scheme(path).split("://", 1)
    return f"{_HADOOP_SCHEMES.get(scheme, scheme)}://{rest}"
