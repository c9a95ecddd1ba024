"""Commands on the options of a catalog."""

from typing import Annotated

import typer

from forklake.cli.app import LAKE, app, command
from forklake.cli.command import with_common_options
from forklake.cli.options import ForSchema, ForTable
from forklake.cli.running import Run

options = typer.Typer(invoke_without_command=True)


def _list_options(
    run: Run,
    everything: Annotated[
        bool, typer.Option("--all", help="Include options that are not set, with their defaults.")
    ] = False,
) -> None:
    """List options that are set; `set` and `unset` change them."""
    run.remember()
    if run.context.invoked_subcommand is None:
        run("options", everything=everything)


options.callback()(with_common_options(_list_options))
app.add_typer(
    options,
    name="options",
    rich_help_panel=LAKE,
    epilog="Example: forklake options set target_file_size 256MB --table orders",
)


@command("Commands", "forklake options set target_file_size 256MB --table orders", "set", of=options)
def set_option(
    run: Run,
    name: Annotated[str, typer.Argument(help="Name of the option.")],
    value: Annotated[str, typer.Argument(help="New value.")],
    table: ForTable = None,
    schema: ForSchema = None,
) -> None:
    """Set an option for the catalog, a schema or a table."""
    run("set_option", name=name, value=value, table=table, schema=schema)


@command("Commands", "forklake options unset target_file_size --table orders", "unset", of=options)
def unset_option(
    run: Run,
    name: Annotated[str, typer.Argument(help="Name of the option.")],
    table: ForTable = None,
    schema: ForSchema = None,
) -> None:
    """Unset an option, so that the value of the wider scope or the default applies."""
    run("set_option", name=name, value=None, table=table, schema=schema)
