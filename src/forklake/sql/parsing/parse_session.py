"""Parsers of session statements: attachments, transactions, settings, SHOW and DESCRIBE."""

from collections.abc import Mapping
from typing import get_args

from forklake.errors import Untranslatable
from forklake.sql.parsing.cursor import Cursor, check_end
from forklake.sql.parsing.statements import (
    Argument,
    Attach,
    Call,
    Checkpoint,
    CreateSecret,
    Describe,
    Detach,
    DropCatalog,
    DropSecret,
    Explain,
    ForkCatalog,
    IgnoredStatement,
    PointInPast,
    SetSetting,
    Show,
    ShowKind,
    Summarize,
    TransactionControl,
    Use,
)


def attach(cursor: Cursor) -> Attach:
    cursor.expect("ATTACH")
    cursor.accept("DATABASE")
    if_not_exists = cursor.accept("IF NOT EXISTS")
    target = cursor.string()
    name = cursor.identifier() if cursor.accept("AS") else None
    options = option_list(cursor) if cursor.next_is("(") else {}
    cursor.expect_end()
    return Attach(target, name, options, if_not_exists)


def detach(cursor: Cursor) -> Detach:
    cursor.expect("DETACH")
    cursor.accept("DATABASE")
    if_exists = cursor.accept("IF EXISTS")
    return check_end(cursor, Detach(cursor.identifier(), if_exists))


def use(cursor: Cursor) -> Use:
    cursor.expect("USE")
    return check_end(cursor, Use(cursor.dotted_name()))


def create_secret(cursor: Cursor) -> CreateSecret:
    cursor.expect("CREATE")
    or_replace = cursor.accept("OR REPLACE")
    _ = cursor.accept("PERSISTENT") or cursor.accept("TEMPORARY")
    cursor.expect("SECRET")
    if_not_exists = cursor.accept("IF NOT EXISTS")
    name = "" if cursor.next_is("(") else cursor.identifier()
    values = option_list(cursor)
    return check_end(cursor, CreateSecret(name, values, or_replace, if_not_exists))


def drop_secret(cursor: Cursor) -> DropSecret:
    cursor.expect("DROP SECRET")
    if_exists = cursor.accept("IF EXISTS")
    return check_end(cursor, DropSecret(cursor.identifier(), if_exists))


def set_setting(cursor: Cursor) -> SetSetting:
    cursor.expect("SET")
    _ = cursor.accept("GLOBAL") or cursor.accept("SESSION") or cursor.accept("LOCAL")
    name = ".".join(cursor.dotted_name())
    if not cursor.accept("="):
        cursor.expect("TO")
    return SetSetting(name, cursor.rest_of_text())


def pragma(cursor: Cursor) -> SetSetting:
    """PRAGMA with a value is SET; all others query DuckDB itself."""
    if cursor.dialect != "duckdb":
        raise cursor.problem("PRAGMA is a statement of DuckDB's dialect; use SET")
    cursor.expect("PRAGMA")
    name = ".".join(cursor.dotted_name())
    if cursor.accept("="):
        return SetSetting(name, cursor.rest_of_text())
    raise Untranslatable(f"PRAGMA {name} is not supported; use SHOW or DESCRIBE, or SET for a setting.")


def reset_setting(cursor: Cursor) -> SetSetting:
    cursor.expect("RESET")
    _ = cursor.accept("GLOBAL") or cursor.accept("SESSION") or cursor.accept("LOCAL")
    return check_end(cursor, SetSetting(".".join(cursor.dotted_name()), None))


def begin(cursor: Cursor) -> TransactionControl:
    cursor.expect_one("BEGIN", "START")
    _ = cursor.accept("TRANSACTION") or cursor.accept("WORK")
    return check_end(cursor, TransactionControl("begin"))


def commit(cursor: Cursor) -> TransactionControl:
    cursor.expect_one("COMMIT", "END")
    _ = cursor.accept("TRANSACTION") or cursor.accept("WORK")
    return check_end(cursor, TransactionControl("commit"))


def rollback(cursor: Cursor) -> TransactionControl:
    cursor.expect_one("ROLLBACK", "ABORT")
    _ = cursor.accept("TRANSACTION") or cursor.accept("WORK")
    return check_end(cursor, TransactionControl("rollback"))


def fork(cursor: Cursor) -> ForkCatalog:
    cursor.expect("FORK CATALOG")
    parent = cursor.identifier_or_string()
    cursor.expect("AS")
    if_not_exists = cursor.accept("IF NOT EXISTS")
    name = cursor.identifier_or_string()
    at = at_clause(cursor)
    return check_end(cursor, ForkCatalog(parent, name, at, if_not_exists))


def drop_catalog(cursor: Cursor) -> DropCatalog:
    cursor.expect("DROP CATALOG")
    if_exists = cursor.accept("IF EXISTS")
    return check_end(cursor, DropCatalog(cursor.identifier_or_string(), if_exists))


def call(cursor: Cursor) -> Call:
    cursor.expect("CALL")
    function = cursor.dotted_name()
    arguments = argument_list(cursor)
    return check_end(cursor, Call(function, arguments))


def checkpoint(cursor: Cursor) -> Checkpoint:
    cursor.expect("CHECKPOINT")
    return Checkpoint(None) if cursor.at_end else check_end(cursor, Checkpoint(cursor.identifier()))


def show(cursor: Cursor) -> Show | Describe:
    cursor.expect("SHOW")
    for what in get_args(ShowKind):
        if cursor.accept(what.upper()):
            _ = cursor.accept("FROM") or cursor.accept("IN")
            name = () if cursor.at_end else cursor.dotted_name()
            return check_end(cursor, Show(what, name))
    return check_end(cursor, Describe(cursor.dotted_name()))


def describe(cursor: Cursor) -> Describe:
    cursor.expect_one("DESCRIBE", "DESC")
    _ = cursor.accept("TABLE") or cursor.accept("EXTENDED") or cursor.accept("QUERY")
    if cursor.peek() in ("SELECT", "WITH", "FROM", "VALUES", "("):
        return Describe(query=cursor.rest_of_text())
    return check_end(cursor, Describe(cursor.dotted_name()))


def summarize(cursor: Cursor) -> Summarize:
    cursor.expect("SUMMARIZE")
    text = cursor.rest_of_text()
    beginning = text.split(None, 1)[0].upper() if text else ""
    return Summarize(text if beginning in ("SELECT", "WITH", "FROM", "VALUES") else f"SELECT * FROM {text}")


def explain(cursor: Cursor) -> Explain:
    cursor.expect("EXPLAIN")
    for mode in ("EXTENDED", "FORMATTED", "CODEGEN", "COST"):
        if cursor.accept(mode):
            return Explain(cursor.rest_of_text(), mode.lower())
    cursor.accept("ANALYZE")
    return Explain(cursor.rest_of_text())


def ignore_statement(cursor: Cursor) -> IgnoredStatement:
    return IgnoredStatement(cursor.rest_of_text())


def at_clause(cursor: Cursor) -> PointInPast | None:
    """AT (VERSION => n), AT SNAPSHOT n, VERSION AS OF n, and the same with times; None if there is none."""
    if cursor.accept("AT ("):
        unit = "version" if cursor.accept("VERSION") else "timestamp"
        if unit == "timestamp":
            cursor.expect("TIMESTAMP")
        cursor.expect_one("=>", ":=")
        value = cursor.text_until()
        cursor.expect(")")
        return PointInPast("version" if unit == "version" else "timestamp", value)
    for words, versioned in (
        ("AT SNAPSHOT", True),
        ("AT VERSION", True),
        ("AT TIMESTAMP", False),
        ("FOR VERSION AS OF", True),
        ("FOR SYSTEM_VERSION AS OF", True),
        ("VERSION AS OF", True),
        ("FOR TIMESTAMP AS OF", False),
        ("FOR SYSTEM_TIME AS OF", False),
        ("TIMESTAMP AS OF", False),
    ):
        if cursor.accept(words):
            return PointInPast("version" if versioned else "timestamp", cursor.simple_value())
    return None


def option_list(cursor: Cursor) -> Mapping[str, str]:
    """Options in brackets, by uppercase name, each with the text of its value; one without a value is true."""
    cursor.expect("(")
    options: dict[str, str] = {}
    while not cursor.accept(")"):
        name = cursor.identifier().upper()
        _ = cursor.accept("=") or cursor.accept("=>") or cursor.accept(":=")
        if name in options:
            raise cursor.problem(f"The option {name} is given twice; expected another")
        options[name] = "true" if cursor.peek() in (",", ")") and not cursor.is_string() else cursor.text_until(",")
        if not cursor.accept(",") and cursor.peek() != ")":
            raise cursor.problem("Expected , or )")
    return options


def argument_list(cursor: Cursor) -> tuple[Argument, ...]:
    """Arguments in brackets, by position or by name."""
    cursor.expect("(")
    arguments: list[Argument] = []
    while not cursor.accept(")"):
        name = None
        if cursor.peek(1) in ("=>", ":="):
            name = cursor.identifier().lower()
            cursor.expect_one("=>", ":=")
        arguments.append(Argument(cursor.text_until(","), name))
        if not cursor.accept(",") and cursor.peek() != ")":
            raise cursor.problem("Expected , or )")
    return tuple(arguments)
