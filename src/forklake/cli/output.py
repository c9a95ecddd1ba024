"""Output of commands: a table for people, tab-separated text for pipes, JSON for programs."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from importlib import import_module
from math import isfinite
from typing import Any

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True, slots=True)
class OutputRows:
    """The result rows of a command, and the message for people if there are none."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    nothing: str = "Nothing to do."
    failures: Sequence[str] = ()
    """Messages about what failed, in addition to the rows of what succeeded."""
    drawn: Sequence[Sequence[Any]] | None = None
    """The rows as drawn for people, if different."""
    note: str = ""
    """A line below the rows, for people."""

    def show(self, *, as_json: bool) -> None:
        """Print the rows in the format that suits the output."""
        if as_json:
            self._write_json()
        elif sys.stdout.isatty():
            # The drawing module is slow to load, and pipes do not need it.
            import_module("forklake.cli.drawing").draw(self)
        elif self.rows:
            lines = [self.columns, *([cell_text(value) for value in row] for row in self.rows)]
            sys.stdout.write("".join("\t".join(map(_escape, line)) + "\n" for line in lines))

    def _write_json(self) -> None:
        names = _unique_names(self.columns)
        objects = (json.dumps(dict(zip(names, map(_json_value, row), strict=True))) for row in self.rows)
        sys.stdout.write("[" + ",".join(f"\n  {each}" for each in objects) + ("\n]\n" if self.rows else "]\n"))


def rows_from_dataclasses(kind: type[Any], found: Iterable[Any], nothing: str = "Nothing to do.") -> OutputRows:
    """The fields of dataclasses as rows."""
    columns = [field.name for field in fields(kind)]
    return OutputRows(columns, [[getattr(entry, name) for name in columns] for entry in found], nothing)


def cell_text(value: Any, precision: str = "auto") -> str:
    """A value as text; None is empty."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case datetime():
            return value.isoformat(" ", precision)
        case bytes():
            return value.hex()
        case [tuple(), *_]:
            return json.dumps(_json_value(value))
        case list() | tuple():
            return ", ".join(map(cell_text, value))
        case dict():
            return json.dumps(_json_value(value))
    return str(value)


def _escape(text: str) -> str:
    return text.translate(_ESCAPES)


def _unique_names(names: Sequence[str]) -> list[str]:
    """Append numbers to repeated names: a query may return two columns of the same name."""
    unique: list[str] = []
    for name in names:
        number, candidate = 1, name
        while candidate in unique:
            candidate, number = f"{name}_{number}", number + 1
        unique.append(candidate)
    return unique


def _json_value(value: Any) -> Any:
    """Convert a value to one that JSON can represent."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if isfinite(value) else str(value)
        case datetime():
            return value.isoformat()
        case bytes():
            return value.hex()
        case [tuple(), *_]:
            # Arrow returns a map as a list of key-value tuples.
            return {cell_text(key): _json_value(item) for key, item in value}
        case list() | tuple():
            return [_json_value(item) for item in value]
        case dict():
            return {cell_text(key): _json_value(item) for key, item in value.items()}
    return str(value)
