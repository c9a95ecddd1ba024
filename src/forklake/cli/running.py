"""Running a command: its verb is found and imported, its rows are shown, and its failure is told in a line."""

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NoReturn

import typer

from forklake.cli.output import Rows
from forklake.cli.target import Given, Target, UnclearTarget, find_target
from forklake.errors import ForklakeError
from forklake.maintenance.progress import QUIET, Progress
from forklake.model.secrets import without_passwords

FAILED = 1
MISUSED = 2
FOUND_PROBLEMS = 3

_LAKE = "forklake.cli.lake_verbs"
_OPTIONS = "forklake.cli.option_verbs"
_DATA = "forklake.cli.data_verbs"
_SQL = "forklake.cli.sql_verbs"
_FILES = "forklake.cli.file_verbs"
_ROWS = "forklake.cli.row_verbs"
VERBS: Mapping[str, str] = {
    "init": _LAKE,
    "catalogs": _LAKE,
    "tree": _LAKE,
    "fork": _LAKE,
    "drop_catalog": _LAKE,
    "tables": _LAKE,
    "describe": _LAKE,
    "snapshots": _LAKE,
    "diff": _LAKE,
    "files": _LAKE,
    "options": _OPTIONS,
    "set_option": _OPTIONS,
    "sql": _SQL,
    "prompt": "forklake.cli.prompt",
    "changes": _DATA,
    "import_files": _DATA,
    "export": _DATA,
    "expire_snapshots": _FILES,
    "cleanup_old_files": _FILES,
    "delete_orphaned_files": _FILES,
    "cleanup_dropped_catalogs": _FILES,
    "file_holders": _FILES,
    "catalog_storage": _FILES,
    "verify": _FILES,
    "merge_adjacent_files": _ROWS,
    "rewrite_data_files": _ROWS,
    "flush_inlined_data": _ROWS,
    "add_data_files": _ROWS,
    "checkpoint": _ROWS,
    "maintain": _ROWS,
}
"""What commands do, by the module that does it; those that move rows know Spark, and the others must not wait."""


@dataclass(frozen=True, slots=True)
class Common:
    """The options that every command has."""

    given: Given = field(default_factory=Given)
    profile: str | None = None
    json: bool = False
    quiet: bool = False
    debug: bool = False

    def otherwise(self, other: "Common") -> "Common":
        """The same, with what was not said here as it was said there."""
        return Common(
            self.given.otherwise(other.given),
            self.profile or other.profile,
            self.json or other.json,
            self.quiet or other.quiet,
            self.debug or other.debug,
        )


@dataclass(frozen=True, slots=True)
class Run:
    """What a command is given to do its work."""

    common: Common
    context: typer.Context

    def remember(self) -> None:
        """Let the options stand for those of the command that follows."""
        self.context.obj = self.common

    def __call__(self, verb: str, **arguments: Any) -> int:
        """Carry out a verb and show its rows; returns how many there were."""
        with self._failing() as target:
            rows = self._rows(verb, target, arguments)
            rows.show(as_json=self.common.json)
            for failure in rows.failures:
                tell(failure)
            if rows.failures:
                raise typer.Exit(FAILED)
        return len(rows.rows)

    def tell(self, verb: str, **arguments: Any) -> None:
        """Carry out a verb, and show its rows where errors go: before a question."""
        with self._failing() as target:
            import_module("forklake.cli.drawing").draw(self._rows(verb, target, arguments), to_errors=True)

    def silently(self, verb: str, **arguments: Any) -> None:
        """Carry out a verb whose rows are known already."""
        with self._failing() as target:
            self._rows(verb, target, arguments)

    def each(self, verb: str, **arguments: Any) -> None:
        """Carry out a verb that gives rows more than once, and show them as they come; as JSON, only the last."""
        with self._failing() as target:
            last = None
            for rows in _function(verb)(target, self.common, **arguments):
                last = rows
                if not self.common.json:
                    rows.show(as_json=False)
            if self.common.json and last is not None:
                last.show(as_json=True)

    def _rows(self, verb: str, target: Target, arguments: Mapping[str, Any]) -> Rows:
        with self._progress() as progress:
            found = _function(verb)(target, progress, **arguments)
        assert isinstance(found, Rows)
        return found

    @contextmanager
    def _failing(self) -> Iterator[Target]:
        """The lake that is meant; whatever fails ends the program with a line and an exit code."""
        try:
            target = find_target(self.common.given, self.common.profile)
        except UnclearTarget as error:
            _fail(str(error), MISUSED)
        try:
            yield target
        except (typer.Exit, typer.Abort):
            raise
        except BrokenPipeError:
            # Whoever read our output has seen enough; Python must not try to write the rest at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(FAILED) from None
        except Exception as error:
            if self.common.debug:
                sys.stderr.write(without_passwords(traceback.format_exc()))
            _fail(told(error), FAILED)

    def _progress(self) -> AbstractContextManager[Progress]:
        if self.common.quiet or not sys.stderr.isatty():
            return nullcontext(QUIET)
        shown: AbstractContextManager[Progress] = import_module("forklake.cli.progress").TerminalProgress()
        return shown


def _function(verb: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module(VERBS[verb]), verb)
    return found


def told(error: Exception) -> str:
    """An error in one line; one that nobody expected is named by its kind."""
    expected = isinstance(error, ForklakeError | OSError) and str(error)
    return str(error) if expected else f"{type(error).__name__}: {error} (--debug shows where)"


def tell(message: str) -> None:
    sys.stderr.write(f"forklake: {without_passwords(' '.join(message.split()))}\n")


def _fail(message: str, code: int) -> NoReturn:
    tell(message)
    raise typer.Exit(code)
