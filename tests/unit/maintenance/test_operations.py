"""SQL, Python and the command line agree with the registry of operations: names, types and defaults."""

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, get_args, get_type_hints

import pytest
from typer.models import ArgumentInfo, OptionInfo

from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.cli.app import EVERYTHING, FILES, HISTORY
from forklake.cli.command import common_options
from forklake.cli.main import app
from forklake.maintenance.operations import OPERATIONS, Operation, OperationParameter
from forklake.sql.functions.registry import FUNCTIONS

SQL_TYPES = {
    str: "VARCHAR",
    bool: "BOOLEAN",
    int: "UBIGINT",
    float: "DOUBLE",
    datetime | timedelta: "TIMESTAMPTZ",
    Collection[int]: "UBIGINT[]",
    Sequence[str]: "VARCHAR or VARCHAR[]",
}
TYPER_TYPES = {datetime | timedelta: datetime, Collection[int]: list[str], Sequence[str]: list[str]}
"""Where they are not the same as in Python."""
PLACE = ("table_name", "schema")
COMMON = {"context", *inspect.signature(common_options).parameters}
each_operation = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda operation: operation.name)


def declared(parameter: OperationParameter) -> tuple[Any, Any]:
    """Annotation and default in Python."""
    default = inspect.Parameter.empty if parameter.required else parameter.default
    return parameter.type | None if default is None else parameter.type, default


def of_python(function: Callable[..., Any]) -> dict[str, tuple[inspect.Parameter, Any, Any]]:
    hints = get_type_hints(function)
    found = inspect.signature(function).parameters.values()
    return {each.name: (each, hints[each.name], each.default) for each in found if each.name in hints}


@each_operation
def test_the_function_of_an_operation_takes_its_parameters(operation: Operation) -> None:
    known = of_python(operation.function)
    own = [each for each in operation.parameters if "place" not in known or each.name not in PLACE]
    assert {each.name: known[each.name][1:] for each in own} == {each.name: declared(each) for each in own}
    given = {"catalog", "lake", "storage", "commits", "drop", "place", "progress"}
    assert known.keys() - given == {each.name for each in own}


@each_operation
def test_an_operation_that_commits_is_run_by_the_commands_that_start_spark(operation: Operation) -> None:
    assert operation.uses_spark or not operation.takes("commits")


@each_operation
def test_the_method_of_an_operation_takes_its_parameters(operation: Operation) -> None:
    check_method(getattr(CatalogHandle, operation.name), operation, operation.parameters)


def test_files_are_added_to_a_table_with_the_same_parameters() -> None:
    adding = OPERATIONS["add_data_files"]
    check_method(TableHandle.add_files, adding, [each for each in adding.parameters if each.name not in PLACE])


def check_method(method: Callable[..., Any], operation: Operation, parameters: Sequence[OperationParameter]) -> None:
    known = of_python(method)
    assert known.pop("progress", None) is not None or not operation.takes("progress")
    positional = [found for found in known.values() if found[0].kind is not inspect.Parameter.KEYWORD_ONLY]
    expected = [declared(each) for each in parameters if not each.by_name]
    several = [(str | kind if kind == Sequence[str] else kind, default) for kind, default in expected]
    assert [found[1:] for found in positional] == several
    named = {name: found[1:] for name, found in known.items() if found not in positional}
    assert named == {each.name: declared(each) for each in parameters if each.by_name}


@each_operation
def test_the_sql_function_of_an_operation_takes_its_parameters(operation: Operation) -> None:
    found = [(each.name, each.kind.name, each.required, each.by_name) for each in FUNCTIONS[operation.name].parameters]
    assert found == [
        (each.sql_name, SQL_TYPES[each.type], each.required, each.by_name) for each in operation.parameters
    ]


@each_operation
def test_the_command_of_an_operation_takes_its_parameters(operation: Operation) -> None:
    known = inspect.signature(commands()[operation.name][0]).parameters
    own = {name: found for name, found in known.items() if name not in COMMON}
    asks = ["yes"] if operation.name == "drop_catalog" else []
    assert list(own) == [each.name for each in operation.parameters] + asks
    for each in operation.parameters:
        accepted, info = get_args(own[each.name].annotation)
        expected, default = declared(replace(each, type=TYPER_TYPES.get(each.type, each.type)))
        assert (accepted, own[each.name].default) == (expected, default)
        assert isinstance(info, OptionInfo if each.by_name else ArgumentInfo)
        assert info.help == each.help
        assert not isinstance(info, OptionInfo) or info.min == (each.least if each.type is int else None)


def test_every_command_of_upkeep_is_an_operation_but_one() -> None:
    upkeep = {name for name, (_, panel) in commands().items() if panel in (EVERYTHING, HISTORY, FILES)}
    assert upkeep == {"maintain", *OPERATIONS}


@each_operation
def test_the_rows_of_an_operation_have_columns(operation: Operation) -> None:
    assert operation.row_types()


def commands() -> dict[str, tuple[Callable[..., Any], str]]:
    """The functions of all commands by their names, and their panels."""
    found = [(each.callback, each.rich_help_panel) for each in app.registered_commands]
    return {callback.__name__: (callback, str(panel)) for callback, panel in found if callback is not None}
