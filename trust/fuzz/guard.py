"""A process that runs what nobody has read must not reach beyond its folder. For processes of their own only."""

import os
import resource
import sqlite3
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import psycopg
import psycopg.conninfo

from forklake.spark.storage.storage import Storage

MEMORY_BYTES = 4 * 2**30


class Escaped(BaseException):
    """The product was about to change a file outside of the folder. Nothing that catches errors catches this."""


def confine(folder: Path, servers: Iterable[str] = ()) -> None:
    """From here on: databases outside of the folder cannot be opened, no other server is reached, and whoever changes
    a file elsewhere is stopped. The process works in the folder and has so much memory."""
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    _guard_sqlite(folder)
    _guard_servers(set(servers))
    guard_storage(folder)


def _guard_sqlite(folder: Path) -> None:
    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "sqlite3.connect":
            path = unquote(str(arguments[0]).removeprefix("file://").partition("?")[0])
            if not is_within(path, folder):
                raise sqlite3.OperationalError("outside of the folder of the trial")

    sys.addaudithook(hook)


def _guard_servers(servers: set[str]) -> None:
    connect: Callable[..., Any] = psycopg.connect

    def guarded(conninfo: str = "", **options: Any) -> Any:
        if psycopg.conninfo.conninfo_to_dict(conninfo).get("host") not in servers:
            raise psycopg.OperationalError("not a server of the trial")
        return connect(conninfo, **options)

    psycopg.connect = guarded


def guard_storage(folder: Path) -> None:
    """Let every deletion look where it is."""
    for verb in ("delete", "touch", "remove_empty"):
        setattr(Storage, verb, _looking(getattr(Storage, verb), folder))


def _looking(verb: Callable[..., Any], folder: Path) -> Callable[..., Any]:
    def looked(self: Storage, path: str) -> Any:
        if self.is_local and not is_within(os.path.dirname(self.path(path)), folder):
            raise Escaped(f"{verb.__name__}({self.path(path)!r})")
        return verb(self, path)

    return looked


def is_within(path: str, folder: Path) -> bool:
    """Whether a path, every link in it followed, is the folder or below it."""
    root = os.path.realpath(folder)
    return os.path.commonpath([root, os.path.realpath(path)]) == root
