"""The Typer application, and the decorator that registers commands."""

from collections.abc import Callable
from typing import Any

import typer

from forklake.cli.command import with_common_options

LAKE = "Catalogs and tables"
ROWS = "Rows"
EVERYTHING = "Upkeep of everything"
HISTORY = "Upkeep of history and files"
FILES = "Upkeep of the files of tables"

app = typer.Typer(
    name="forklake",
    help="Look at the catalogs of a lake, fork them, query them with SQL, and keep them in shape.",
    epilog="Every command exits with 0 when it is done, 1 when it fails and 2 when it cannot be understood."
    " Begin with: forklake init --lake lake.db",
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
