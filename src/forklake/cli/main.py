"""Entry point of the command line: all commands, and the options before them."""

import gc
from importlib import import_module
from typing import Annotated

import typer

from forklake.cli import lake_commands, option_commands, row_commands, upkeep_commands
from forklake.cli.app import app as app
from forklake.cli.command import with_common_options
from forklake.cli.running import Run

COMMANDS = (lake_commands, option_commands, row_commands, upkeep_commands)
"""Modules that declare commands, in the order in which help lists them."""


def _print_version(asked: bool) -> None:
    if asked:
        # Imported here because nothing else needs it and it is slow to import.
        typer.echo(f"forklake {import_module('importlib.metadata').version('forklake')}")
        raise typer.Exit


def _global_options(
    run: Run,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before the command are for the command."""
    run.remember()


app.callback()(with_common_options(_global_options))


def main() -> None:
    # Until the command runs: what is imported stays, and the collector would look through all of it several times.
    gc.disable()
    app(prog_name="forklake")
