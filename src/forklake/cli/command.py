"""Wraps functions as commands: adds the common options after a function's own."""

import inspect
from collections.abc import Callable
from typing import Any

import typer

from forklake.cli.options import (
    CatalogOption,
    DataPathOption,
    DebugFlag,
    JsonFlag,
    LakeOption,
    MetadataSchemaOption,
    ProfileOption,
    QuietFlag,
)
from forklake.cli.running import CommonOptions, Run
from forklake.cli.target import TargetOptions


def common_options(
    lake: LakeOption = None,
    catalog: CatalogOption = None,
    data_path: DataPathOption = None,
    metadata_schema: MetadataSchemaOption = None,
    profile: ProfileOption = None,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
    debug: DebugFlag = False,
) -> CommonOptions:
    """The options of every command; also accepted before the command name."""
    return CommonOptions(TargetOptions(lake, catalog, data_path, metadata_schema), profile, json, quiet, debug)


_COMMON = inspect.signature(common_options).parameters


def with_common_options(function: Callable[..., Any]) -> Callable[..., None]:
    """Wrap a function whose first parameter is a `Run`, which is built from the common options."""
    own = list(inspect.signature(function).parameters.values())[1:]

    def command(context: typer.Context, **given: Any) -> None:
        common = common_options(**{name: given.pop(name) for name in _COMMON})
        before = context.find_object(CommonOptions) or CommonOptions()
        function(Run(common.otherwise(before), context), **given)

    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    behind = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in (*own, *_COMMON.values())]
    # Typer takes the parameters of a command from its signature, and their types from its annotations.
    command.__dict__["__signature__"] = inspect.Signature([context, *behind])
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in (context, *behind)}
    command.__name__, command.__doc__ = function.__name__, _reflow(inspect.getdoc(function) or "")
    return command


def _reflow(text: str) -> str:
    """Join the lines of each paragraph; the terminal wraps them."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
