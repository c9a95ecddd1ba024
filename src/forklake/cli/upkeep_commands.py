"""Maintenance commands, made of the registry of operations."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer

from forklake.cli.app import EVERYTHING, FILES, HISTORY, command
from forklake.cli.confirming import drop_confirmed
from forklake.cli.options import Yes, parse_age_or_time, parse_numbers
from forklake.cli.running import FOUND_PROBLEMS, Run
from forklake.maintenance.operations import (
    EVERYTHING_OPERATIONS,
    FILES_OPERATIONS,
    HISTORY_OPERATIONS,
    Operation,
    OperationParameter,
)

_TYPES = {datetime | timedelta: datetime, Collection[int]: list[str], Sequence[str]: list[str]}
"""Replacements for types that Typer does not support."""


@command(EVERYTHING, "forklake maintain --all")
def maintain(
    run: Run, all_catalogs: Annotated[bool, typer.Option("--all", help="Maintain all catalogs of the lake.")] = False
) -> None:
    """Run a checkpoint of one or all catalogs, and clean up after dropped catalogs."""
    run("maintain", every=all_catalogs)


def _declare(panel: str, operation: Operation) -> None:
    def execute(run: Run, **given: Any) -> None:
        if operation.name == "drop_catalog":
            drop_confirmed(run, given["catalog_name"], dry_run=given["dry_run"], yes=given["yes"])
            return
        _check_alternatives(given)
        if "versions" in given:
            given["versions"] = parse_numbers(given["versions"])
        if run(operation.name, **given) and operation.name == "verify":
            raise typer.Exit(FOUND_PROBLEMS)

    own = [Parameter("run", Parameter.POSITIONAL_OR_KEYWORD), *map(_typer_parameter, operation.parameters)]
    if operation.name == "drop_catalog":
        own.append(Parameter("yes", Parameter.KEYWORD_ONLY, default=False, annotation=Yes))
    execute.__dict__["__signature__"] = Signature(own)
    execute.__name__, execute.__doc__ = operation.name, operation.help
    command(panel, operation.example)(execute)


def _check_alternatives(given: Mapping[str, Any]) -> None:
    """An age cannot be combined with another selection; the error has the names of the options."""
    for other in ("versions", "cleanup_all"):
        if given.get("older_than") is not None and given.get(other):
            raise typer.BadParameter(f"Give either --older-than or --{other.replace('_', '-')}, not both.")


def _typer_parameter(parameter: OperationParameter) -> Parameter:
    accepted: Any = _TYPES.get(parameter.type, parameter.type)
    default = Parameter.empty if parameter.required else parameter.default
    annotation: Any = Annotated[accepted if default is not None else accepted | None, _typer_info(parameter)]
    return Parameter(parameter.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _typer_info(parameter: OperationParameter) -> Any:
    if not parameter.by_name:
        return typer.Argument(help=parameter.help)
    # A flag that is off by default has no negative form.
    names = [f"--{parameter.name.replace('_', '-')}"] if parameter.default is False else []
    return typer.Option(
        *names,
        help=parameter.help,
        metavar=parameter.metavar,
        min=parameter.least if parameter.type is int else None,
        parser=parse_age_or_time if parameter.type == datetime | timedelta else None,
    )


for _panel, _group in ((EVERYTHING, EVERYTHING_OPERATIONS), (HISTORY, HISTORY_OPERATIONS), (FILES, FILES_OPERATIONS)):
    for _operation in _group:
        _declare(_panel, _operation)
