"""What a process writes down, a line each, before and after everything it does."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic_ns
from typing import Any, Literal, TypeAlias

from trust.history.picture import Edit, Picture

Verb: TypeAlias = Literal["change", "merge", "rewrite", "flush", "fork", "drop", "expire", "collect", "travel"]
Outcome: TypeAlias = Literal["ok", "nothing", "refused", "unknown", "leaked"]
"""`nothing`: there was nothing to commit. `leaked`: an error that is none of the product's."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Before anything is asked of the lake."""

    tx: str
    time: int
    catalog_name: str
    verb: Verb


@dataclass(frozen=True, slots=True)
class Looked:
    """A read. With `own`, the transaction's plan is on top; `tables` are those whose rows were read, None all."""

    tx: str
    time: int
    catalog: int
    snapshot: int
    picture: Picture
    tables: list[str] | None = None
    own: bool = False


@dataclass(frozen=True, slots=True)
class Planned:
    """What is going to be done, before it is."""

    tx: str
    time: int
    verb: Verb
    catalog: int
    edits: list[Edit] = field(default_factory=list)
    fork_name: str | None = None
    version: int | None = None
    versions: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of it; `snapshot` of a commit that was acknowledged, `catalog` of a fork that was."""

    tx: str
    time: int
    outcome: Outcome
    snapshot: int | None = None
    catalog: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Met:
    """A catalog as it was found: what of it can never change."""

    time: int
    catalog: int
    name: str
    parent: int | None
    fork_snapshot: int | None
    begin: int
    lineage: list[list[int]]
    """Catalog and top of each level; empty where it could not be asked for."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Snapshots of a catalog that may soon be gone: id, predecessor and message of each."""

    time: int
    catalog: int
    snapshots: list[tuple[int, int | None, str | None]]
    is_end: bool = False
    """All that was kept when everything was over."""


@dataclass(frozen=True, slots=True)
class Removed:
    """Files that the lake gave up, and that are deleted now."""

    time: int
    files: list[str]


@dataclass(frozen=True, slots=True)
class Closed:
    """When everything was over: the catalogs that were left, and what the product's own check found in them."""

    time: int
    live: list[int]
    findings: list[str]


@dataclass(frozen=True, slots=True)
class Dying:
    """The process is about to kill itself at a step of a commit."""

    tx: str
    time: int
    place: str


Record: TypeAlias = Begun | Looked | Planned | Ended | Met | Listed | Removed | Closed | Dying
_KINDS: dict[str, type[Record]] = {
    kind.__name__: kind for kind in (Begun, Looked, Planned, Ended, Met, Listed, Removed, Closed, Dying)
}


class Pen:
    """Appends to one process's history. What `write` has returned from survives the process."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def write(self, record: Record) -> None:
        line = json.dumps({"is": type(record).__name__, **asdict(record)}, separators=(",", ":"))
        os.write(self._file, f"{line}\n".encode())

    def close(self) -> None:
        os.close(self._file)


def now() -> int:
    """The same clock for all processes of the machine, which nobody can set."""
    return monotonic_ns()


def read_history(path: Path) -> Iterator[Record]:
    for line in path.read_text().splitlines():
        yield _from_json(json.loads(line))


def read_histories(folder: Path) -> dict[str, list[Record]]:
    """By the name of the process."""
    return {path.stem: list(read_history(path)) for path in sorted(folder.glob("*.jsonl"))}


def _from_json(found: dict[str, Any]) -> Record:
    kind = _KINDS[str(found.pop("is"))]
    if isinstance(edits := found.get("edits"), list):
        found["edits"] = [Edit(**edit) for edit in edits]
    if isinstance(snapshots := found.get("snapshots"), list):
        found["snapshots"] = [tuple(snapshot) for snapshot in snapshots]
    return kind(**found)
