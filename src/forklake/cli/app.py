"""The Typer application, and the decorator that registers commands."""

from collections.abc import Callable
from typing import Any

import typer

from forklake.cli.command import with_common_options

LAKE = "Catalogs and tables"
ROWS = "Rows"
EVERYTHING = "Maintenance"
HISTORY = "Maintenance of history and files"
FILES = "Maintenance of table files"

app = typer.Typer(
    name="forklake",
    help="Inspect, fork, query and maintain the catalogs of a lake.",
    epilog="Exit status: 0 on success, 1 on failure, 2 for invalid arguments."
    " To get started: forklake init --lake lake.db",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def command(
    panel: str, example: str, name: str | None = None, of: typer.Typer = app
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a command, with the common options and an example in its help."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        of.command(name, rich_help_panel=panel, epilog=f"Example: {example}")(with_common_options(function))
        return function

    return declare
