"""Runs a command: imports its implementation, shows its rows, and reports a failure in one line."""

import gc
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

import typer

from forklake.cli.output import OutputRows
from forklake.cli.target import LakeTarget, TargetOptions, UnclearTarget, find_target
from forklake.errors import ForklakeError
from forklake.maintenance.operations import OPERATIONS
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
    "maintain": _ROWS,
}
"""Module of each verb, except maintenance operations. Those on rows import Spark, which must not slow down others."""


@dataclass(frozen=True, slots=True)
class CommonOptions:
    """The options that every command has."""

    given: TargetOptions = field(default_factory=TargetOptions)
    profile: str | None = None
    json: bool = False
    quiet: bool = False
    debug: bool = False

    def otherwise(self, other: "CommonOptions") -> "CommonOptions":
        """Fill in unset options from others."""
        return CommonOptions(
            self.given.otherwise(other.given),
            self.profile or other.profile,
            self.json or other.json,
            self.quiet or other.quiet,
            self.debug or other.debug,
        )


@dataclass(frozen=True, slots=True)
class Run:
    """The environment passed to a command."""

    common: CommonOptions
    context: typer.Context

    def remember(self) -> None:
        """Keep the options as defaults for the subcommand that follows."""
        self.context.obj = self.common

    def __call__(self, verb: str, **arguments: Any) -> int:
        """Run a verb and show its rows; returns their number."""
        with self._report_failures() as target:
            rows = self._rows(verb, target, arguments)
            rows.show(as_json=self.common.json)
            for failure in rows.failures:
                print_error(failure)
            if rows.failures:
                raise typer.Exit(FAILED)
        return len(rows.rows)

    def tell(self, verb: str, **arguments: Any) -> None:
        """Run a verb and show its rows on stderr, before a confirmation."""
        with self._report_failures() as target:
            import_module("forklake.cli.drawing").draw(self._rows(verb, target, arguments), to_errors=True)

    def run_silently(self, verb: str, **arguments: Any) -> None:
        """Run a verb without showing its rows, which are already known."""
        with self._report_failures() as target:
            self._rows(verb, target, arguments)

    def show_each(self, verb: str, **arguments: Any) -> None:
        """Run a verb that yields several results, and show each as it arrives; as JSON, only the last."""
        with self._report_failures() as target:
            last = None
            for rows in _verb_function(verb)(target, self.common, **arguments):
                last = rows
                if not self.common.json:
                    rows.show(as_json=False)
            if self.common.json and last is not None:
                last.show(as_json=True)

    def _rows(self, verb: str, target: LakeTarget, arguments: Mapping[str, Any]) -> OutputRows:
        with self._progress() as progress:
            found = _verb_function(verb)(target, progress, **arguments)
        assert isinstance(found, OutputRows)
        return found

    @contextmanager
    def _report_failures(self) -> Iterator[LakeTarget]:
        """Yield the target lake; any failure ends the program with a message and an exit code."""
        try:
            target = find_target(self.common.given, self.common.profile)
        except UnclearTarget as error:
            _exit_with_error(str(error), MISUSED)
        try:
            yield target
        except (typer.Exit, typer.Abort):
            raise
        except BrokenPipeError:
            # The reader of our output has closed it; Python must not try to flush the rest at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(FAILED) from None
        except Exception as error:
            if self.common.debug:
                sys.stderr.write(without_passwords(traceback.format_exc()))
            _exit_with_error(error_text(error), FAILED)

    def _progress(self) -> AbstractContextManager[Progress]:
        if self.common.quiet or not sys.stderr.isatty():
            return nullcontext(QUIET)
        shown: AbstractContextManager[Progress] = import_module("forklake.cli.progress").TerminalProgress()
        return shown


def _verb_function(verb: str) -> Callable[..., Any]:
    found = _imported_function(verb)
    _collect_garbage()
    return found


def _imported_function(verb: str) -> Callable[..., Any]:
    operation = OPERATIONS.get(verb)
    if operation is not None:
        return partial(import_module(_ROWS if operation.uses_spark else _FILES).run_operation, operation)
    found: Callable[..., Any] = getattr(import_module(VERBS[verb]), verb)
    return found


def _collect_garbage() -> None:
    """From now on, but not what has been imported: `main` has turned the collector off."""
    gc.freeze()
    gc.enable()


def error_text(error: Exception) -> str:
    """An error message; unexpected errors are prefixed with their type."""
    if isinstance(error, OverflowError):
        return f"A number is too large: {error} (--debug shows where)"
    expected = isinstance(error, ForklakeError | OSError) and str(error)
    return str(error) if expected else f"{type(error).__name__}: {error} (--debug shows where)"


def print_error(message: str) -> None:
    sys.stderr.write(f"forklake: {without_passwords(' '.join(message.split()))}\n")


def _exit_with_error(message: str, code: int) -> NoReturn:
    print_error(message)
    raise typer.Exit(code)
