"""Where the files of a lake are: one root, reached by Spark through URIs and by PyArrow through a file system."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import quote

from pyarrow import fs

from forklake.errors import InvalidInput

MARK = "_forklake_lake.json"
"""The file in a data path that says whose it is. No catalog has a folder with a dot in its name."""
_HADOOP_SCHEMES = {"s3": "s3a", "gcs": "gs"}
"""File systems that go by another name there."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The data path of a lake. Paths given to it are relative to the root, with `/` between their parts."""

    root: str
    """An absolute local path or a URL, with `/` at the end."""
    files: fs.FileSystem = field(init=False, repr=False)
    prefix: str = field(init=False, repr=False)
    """The root as PyArrow's file system knows it."""

    def __post_init__(self) -> None:
        try:
            files, prefix = fs.FileSystem.from_uri(self.root)
        except (ValueError, NotImplementedError, OSError) as error:
            raise InvalidInput(f"The data path '{self.root}' cannot be used: {error}") from None
        object.__setattr__(self, "files", files)
        object.__setattr__(self, "prefix", prefix.rstrip("/") + "/")

    @property
    def is_local(self) -> bool:
        return isinstance(self.files, fs.LocalFileSystem)

    def path(self, relative: str, *, is_relative: bool = True) -> str:
        """A file as PyArrow's file system knows it."""
        return self.prefix + relative if is_relative else self._foreign(relative)

    def folder(self, relative: str) -> str:
        """A folder as Spark's writers take it: they would take what is escaped for its name."""
        return _with_scheme(self.root + relative)

    def folder_to_read(self, relative: str) -> str:
        """A folder as Spark's readers take it: as a pattern, in which nothing is to be one."""
        return re.sub(r"([\\{}\[\]*?])", r"\\\1", self.folder(relative))

    def uri(self, relative: str, *, is_relative: bool = True) -> str:
        """A file as Spark knows it in lists of files: escaped."""
        if not is_relative:
            return _spark_uri(relative)
        return _spark_uri(self.root + relative)

    def stored_path(self, path: str) -> str:
        """A path of a user as metadata has it: from the root on where it lies below, whole where it does not."""
        full = path if "://" in path else os.path.abspath(path)
        for given, root in ((path, self.root), (full, self.root), (full, self.prefix)):
            if given.startswith(root):
                return given.removeprefix(root)
        return path

    def spellings(self, relative: str) -> list[str]:
        """Every way in which metadata may name a file below the root: from there on, or in full, links or not."""
        roots = [self.root, self.prefix]
        if self.is_local:
            roots.append(os.path.join(os.path.realpath(self.prefix), ""))
        return [relative, *dict.fromkeys(root + relative for root in roots)]

    @property
    def ignores_case(self) -> bool:
        """Whether names that differ in case are one file, as on most machines with Windows or macOS."""
        other = self.prefix.swapcase()
        return self.is_local and other != self.prefix and os.path.exists(other) and os.path.samefile(other, self.prefix)

    def touch(self, relative: str) -> None:
        """Make a local file as young as what is written now: it is ours from now on."""
        if self.is_local:
            os.utime(self.path(relative))

    def delete(self, path: str) -> bool:
        """Delete a file that nobody can see; true when it is gone, also if it was before."""
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
        """Whether a path, or a link in it, goes up or away: whoever wrote that, nothing is deleted there."""
        if not {"", ".", ".."}.isdisjoint(path.split("/")) or "\0" in path:
            return True
        parent = os.path.dirname(path)
        return self.is_local and os.path.realpath(self.prefix + parent) != os.path.normpath(
            os.path.join(os.path.realpath(self.prefix), parent)
        )

    def walk(self, folder: str) -> Iterator[fs.FileInfo]:
        """Every file below a folder, one folder in memory at a time. Links are neither followed nor given, nor is what
        lies in the data path of another lake."""
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
        """Remove folders that have nothing in them, from the bottom up; object stores have none."""
        if self.is_local and not self._leads_elsewhere(f"{folder}/any"):
            for found, _, _ in os.walk(self.path(folder), topdown=False):
                with suppress(OSError):
                    os.rmdir(found)

    def remove_empty_parents(self, path: str, up_to: str) -> None:
        """Remove the folders that a file was in, as far as they are empty and below a folder, which stays."""
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
        return path if "://" not in path else fs.FileSystem.from_uri(path)[1]


def storage_at(data_path: str) -> Storage:
    """The storage of a data path; a local one that is not absolute starts at the current folder."""
    if "://" in data_path:
        return Storage(data_path if data_path.endswith("/") else data_path + "/")
    return Storage(os.path.join(os.path.abspath(data_path), ""))


def _spark_uri(path: str) -> str:
    scheme, rest = _with_scheme(path).split("://", 1)
    bucket, slash, key = rest.partition("/")
    return f"{scheme}://{bucket}{slash}{quote(key)}"


def _with_scheme(path: str) -> str:
    if "://" not in path:
        return f"file://{path}"
    scheme, rest = path.split("://", 1)
    return f"{_HADOOP_SCHEMES.get(scheme, scheme)}://{rest}"
