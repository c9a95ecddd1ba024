"""The references name all there is and nothing else: methods, statements, functions, options, settings and errors."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

import forklake
from forklake import errors
from forklake.api.catalog import CatalogHandle
from forklake.api.merging import MergeClauseBuilder
from forklake.api.session import Session
from forklake.api.table import TableHandle
from forklake.catalog.lakes.lake import RetrySettings
from forklake.model.options import OPTIONS
from forklake.sql.execution.run_session import attach_options
from forklake.sql.functions.registry import FUNCTIONS
from forklake.sql.parsing import statements
from forklake.sql.parsing.parse import parse_one
from forklake.sql.parsing.statements import AlterTable, Comment, Drop, Merge, Show, TransactionControl
from forklake.sql.results.result import Result
from forklake.sql.session.attachments import AttachOptions
from forklake.sql.session.state import SMALL_QUERY_LIMIT
from tests.docs.test_documents import BACKTICKS, PACKAGE, ROOT
from tests.sql.test_documents import statements as examples

PYTHON, SQL, ERRORS = (ROOT / "docs" / name for name in ("python.md", "sql.md", "troubleshooting.md"))
SCOPES = {"global": "catalog", "schema": "schema", "table": "table"}
MANY_LETTERS = 8
"""A message with fewer letters of its own would be found anywhere."""


def section(page: Path, title: str) -> str:
    """What stands below a heading, up to the next of its kind or higher."""
    text = page.read_text(encoding="utf-8")
    [level] = re.findall(rf"^(#+) {title}$", text, re.MULTILINE)
    below = re.split(rf"^{level} {title}$", text, maxsplit=1, flags=re.MULTILINE)[1]
    return re.split(rf"^#{{1,{len(level)}}} ", below, maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> list[list[str]]:
    """The cells of all tables, without their headings."""
    found = re.findall(r"^\|(.*)\|$", text, re.MULTILINE)
    return [[cell.strip() for cell in row.split("|")] for row in found if "`" in row.split("|")[0]]


def named(text: str) -> list[str]:
    """What stands in backticks in the first column."""
    return [name for row in rows(text) for name in BACKTICKS.findall(row[0])]


def written(function: Callable[..., object], name: str) -> str:
    """A function as the pages write it: its name, and the names of its arguments."""
    words: list[str] = []
    for parameter in list(inspect.signature(function).parameters.values()):
        if parameter.kind is parameter.KEYWORD_ONLY and not any(word.startswith("*") for word in words):
            words.append("*")
        words.append(f"{'*' if parameter.kind is parameter.VAR_POSITIONAL else ''}{parameter.name}")
    return f"{name}({', '.join(word for word in words if word != 'self')})"


def members(of: type) -> Iterator[str]:
    for name, member in inspect.getmembers(of):
        if not name.startswith("_") and isinstance(member, property):
            yield name
        elif not name.startswith("_") and inspect.isfunction(member):
            yield written(member, name)


@pytest.mark.parametrize("of", [Session, CatalogHandle, TableHandle, Result], ids=lambda of: of.__name__)
def test_the_page_of_python_has_every_method_with_its_arguments(of: type) -> None:
    assert sorted(named(section(PYTHON, of.__name__))) == sorted(members(of))


def test_the_page_of_python_has_every_clause_of_a_merge() -> None:
    assert sorted(named(section(PYTHON, "Clauses of a merge"))) == sorted(members(MergeClauseBuilder))


def test_the_page_of_python_has_every_public_name() -> None:
    public = {name: getattr(forklake, name) for name in forklake.__all__}
    expected = [written(value, name) if inspect.isfunction(value) else name for name, value in public.items()]
    listed = [name for row in rows(section(PYTHON, "Names"))[1:] for name in BACKTICKS.findall(row[0])]
    assert sorted(listed) == sorted(expected)


def test_every_option_of_attach_is_listed_and_can_be_given() -> None:
    listed = named(section(SQL, "Attach"))
    assert sorted(listed) == sorted(["ENCRYPTED", *(field.name.upper() for field in fields(AttachOptions))])
    # A text, a number and false, all in one; the two points in the past exclude each other.
    at_once = dict.fromkeys(listed, "0") | {"SNAPSHOT_TIME": "2026-01-01"}
    for left_out in ("SNAPSHOT_TIME", "SNAPSHOT_VERSION"):
        given = {name: value for name, value in at_once.items() if name != left_out}
        assert attach_options(given).catalog == "0"


def test_every_setting_is_listed_with_its_default() -> None:
    listed = {row[0].strip("`"): row[1].strip("`") for row in rows(section(SQL, "Settings"))}
    plain = RetrySettings()
    retries = {f"ducklake_{field.name}": str(getattr(plain, field.name)) for field in fields(plain)}
    ours = {"forklake_small_queries": "auto", "forklake_small_query_bytes": str(SMALL_QUERY_LIMIT)}
    assert listed == {**retries, **ours, "forklake_shortcuts": "true"}


def test_every_option_is_listed_with_its_default_and_what_it_can_be_set_for() -> None:
    listed = {
        row[0].strip("`"): (row[1].strip("`") or None, row[2].split(", ")) for row in rows(section(SQL, "Options"))
    }
    assert listed == {
        name: (option.default, [word for scope, word in SCOPES.items() if scope in option.scopes])
        for name, option in OPTIONS.items()
    }


def test_every_function_is_listed_with_its_parameters() -> None:
    listed = {row[0].strip("`"): row[1].split(", ") if row[1] else [] for row in rows(section(SQL, "Functions"))}
    assert listed == {
        name: [f"*`{p.name}`*" if p.by_name else f"`{p.name}`" for p in function.parameters]
        for name, function in FUNCTIONS.items()
    }


@cache
def parsed() -> tuple[statements.Statement, ...]:
    """The statements of the examples in the page of SQL, which another test runs."""
    return tuple(parse_one(text.strip(), "spark") for text in examples(SQL))


def test_every_statement_has_an_example() -> None:
    assert {type(statement) for statement in parsed()} == set(get_args(statements.Statement))


def test_every_form_of_a_statement_has_an_example() -> None:
    altered = [
        change for statement in parsed() if isinstance(statement, AlterTable) for change in statement.alterations
    ]
    clauses = [clause for statement in parsed() if isinstance(statement, Merge) for clause in statement.clauses]
    assert {type(change) for change in altered} == {*get_args(statements.AlterationText), statements.RenameTo}
    assert {s.what for s in parsed() if isinstance(s, Show)} == set(get_args(statements.ShowKind))
    assert {s.kind for s in parsed() if isinstance(s, Drop)} == set(get_args(statements.DropKind))
    assert {s.kind for s in parsed() if isinstance(s, Comment)} == set(get_args(statements.CommentKind))
    assert {s.what for s in parsed() if isinstance(s, TransactionControl)} == {"begin", "commit", "rollback"}
    assert {clause.when for clause in clauses} == set(get_args(statements.MergeMatch))
    assert {clause.action for clause in clauses} == {"update", "delete", "insert", "nothing"}


def test_the_list_of_statements_has_those_of_the_examples_and_no_others() -> None:
    listed = named(section(SQL, "Statements"))
    begun = {text: [words for words in listed if f"{text.upper()} ".startswith(f"{words} ")] for text in beginnings()}
    assert [text for text, words in begun.items() if not words and not text.startswith("SELECT")] == []
    assert set(listed) - {words for found in begun.values() for words in found} == set()


def beginnings() -> list[str]:
    return [" ".join(text.split()) for text in examples(SQL)]


def test_what_show_gives_is_listed_for_every_kind() -> None:
    listed = named(section(SQL, "Look around"))
    assert sorted(name.removeprefix("SHOW ").lower() for name in listed) == sorted(get_args(statements.ShowKind))


def test_every_error_is_listed() -> None:
    known = {
        name for name, value in vars(errors).items() if isinstance(value, type) and value.__module__ == errors.__name__
    }
    assert {row[0].strip("`") for row in rows(ERRORS.read_text(encoding="utf-8"))} == known


@cache
def texts_of_the_code() -> tuple[str, ...]:
    """Every text in the code, with … for what is put into it."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]
    found = (text for tree in trees for node in ast.walk(tree) if (text := text_of(node)) is not None)
    return tuple({text for text in found if sum(letter.isalpha() for letter in text) >= MANY_LETTERS})


def text_of(node: ast.AST) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return "".join("…" if isinstance(part, ast.FormattedValue) else text_of(part) or "" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def messages() -> list[str]:
    cells = [row[1] for row in rows(ERRORS.read_text(encoding="utf-8")) if len(row) > 2]
    return [message for cell in cells for message in re.findall(r"^`(.+)`$", cell)]


@pytest.mark.parametrize("message", sorted(set(messages()) - {"LINE …: …"}))
def test_a_message_is_one_that_the_code_gives(message: str) -> None:
    assert any(message in text or is_made_by(text, message) for text in texts_of_the_code())


def is_made_by(text: str, message: str) -> bool:
    return "…" in text and re.fullmatch(re.escape(text).replace("…", ".*"), message, re.DOTALL) is not None
