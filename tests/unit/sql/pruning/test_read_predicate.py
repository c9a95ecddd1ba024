"""What of a condition is read: only what is known in every node and every argument."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from sqlglot import exp

from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.model.predicates import (
    And,
    CalendarPartIn,
    Comparison,
    In,
    IsNull,
    Not,
    Or,
    Predicate,
    StartsWith,
    UnknownPredicate,
    is_understood,
)
from forklake.spark.session.session_settings import settings_from
from forklake.sql.parsing.cursor import parse_text
from forklake.sql.parsing.known_nodes import KNOWN
from forklake.sql.pruning.comparison_rules import DEFAULT_RULES, ComparisonRules
from forklake.sql.pruning.read_predicate import RowNames, parse_predicate, predicate_from_tree

TYPES = {
    "i": "int",
    "l": "bigint",
    "u": "ubigint",
    "h": "hugeint",
    "dec": "decimal(10,2)",
    "big": "decimal(38,10)",
    "f": "float",
    "g": "double",
    "b": "boolean",
    "s": "varchar",
    "d": "date",
    "ts": "timestamp",
    "tz": "timestamptz",
    "ns": "timestamp_ns",
    "t": "time",
    "id": "uuid",
    "js": "json",
    "bin": "blob",
}
NAMES = RowNames(
    (
        *(Column(ColumnId(at), name, parse_type(text)) for at, (name, text) in enumerate(TYPES.items())),
        Column(
            ColumnId(100),
            "st",
            parse_type("struct(a int, B varchar)"),
            children=(Column(ColumnId(101), "a", parse_type("int")), Column(ColumnId(102), "B", parse_type("varchar"))),
        ),
    ),
    "q",
)
IN_A_SCHEMA = RowNames(
    (
        Column(ColumnId(1), "a", parse_type("int")),
        Column(
            ColumnId(2),
            "main",
            parse_type("struct(q struct(a int))"),
            children=(
                Column(
                    ColumnId(3),
                    "q",
                    parse_type("struct(a int)"),
                    children=(Column(ColumnId(4), "a", parse_type("int")),),
                ),
            ),
        ),
    ),
    "q",
)
ELSEWHERE = ComparisonRules(is_utc=False)


def read(text: str, dialect: str = "spark", rules: ComparisonRules = DEFAULT_RULES) -> Predicate:
    return parse_predicate(text, dialect, NAMES, rules)


KNOWN_CONDITIONS: dict[str, Predicate] = {
    "i = 1": Comparison(("i",), "=", 1),
    "1 < i": Comparison(("i",), ">", 1),
    "Q.I >= -1": Comparison(("i",), ">=", -1),
    "(i) <> ((1))": Comparison(("i",), "<>", 1),
    "i = CAST(1 AS BIGINT)": Comparison(("i",), "=", 1),
    "i > 1.5": Comparison(("i",), ">", Decimal("1.5")),
    "l = 9223372036854775807": Comparison(("l",), "=", 2**63 - 1),
    "u = 18446744073709551615": UnknownPredicate(),
    "dec < 1.25": Comparison(("dec",), "<", Decimal("1.25")),
    "g = 1e3": Comparison(("g",), "=", 1000.0),
    "g = 0.1": Comparison(("g",), "=", 0.1),
    "f = 16777216": Comparison(("f",), "=", 16777216.0),
    "b": Comparison(("b",), "=", True),
    "NOT b": Not(Comparison(("b",), "=", True)),
    "b = FALSE": Comparison(("b",), "=", False),
    "s = 'ab c'": Comparison(("s",), "=", "ab c"),
    "s LIKE 'a%'": StartsWith(("s",), "a"),
    "s IN ('a', 'b')": In(("s",), ("a", "b")),
    "i IN (1, 2)": In(("i",), (1, 2)),
    "i BETWEEN 1 AND 2": And((Comparison(("i",), ">=", 1), Comparison(("i",), "<=", 2))),
    "s IS NULL": IsNull(("s",)),
    "js IS NOT NULL": Not(IsNull(("js",))),
    "d = DATE '2024-01-01'": Comparison(("d",), "=", date(2024, 1, 1)),
    "d = '2024-01-01'": Comparison(("d",), "=", date(2024, 1, 1)),
    "ts < '2024-01-01 10:00:00'": Comparison(("ts",), "<", datetime(2024, 1, 1, 10)),
    "ts < '2024-01-01'": Comparison(("ts",), "<", datetime(2024, 1, 1)),
    "ts < '2024-01-01T10:00:00'": Comparison(("ts",), "<", datetime(2024, 1, 1, 10)),
    "tz >= '2024-01-01'": Comparison(("tz",), ">=", datetime(2024, 1, 1, tzinfo=UTC)),
    "ts < DATE '2024-01-01'": Comparison(("ts",), "<", datetime(2024, 1, 1)),
    "tz < '2024-01-01 10:00:00'": Comparison(("tz",), "<", datetime(2024, 1, 1, 10, tzinfo=UTC)),
    "tz < '2024-01-01 10:00:00+01:00'": Comparison(("tz",), "<", datetime(2024, 1, 1, 9, tzinfo=UTC)),
    "t = '10:00:00'": Comparison(("t",), "=", "10:00:00"),
    "st.a = 1": Comparison(("st", "a"), "=", 1),
    "q.st.b = 'x'": Comparison(("st", "b"), "=", "x"),
    "year(d) = 2024": CalendarPartIn(("d",), "year", (2024,)),
    "2024 = year(ts)": CalendarPartIn(("ts",), "year", (2024,)),
    "month(ts) IN (1, 2)": CalendarPartIn(("ts",), "month", (1, 2)),
    "i = 1 OR nobody = 2": Or((Comparison(("i",), "=", 1), UnknownPredicate())),
}


@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
@pytest.mark.parametrize("text", KNOWN_CONDITIONS)
def test_what_is_known_is_read(text: str, dialect: str) -> None:
    assert read(text, dialect) == KNOWN_CONDITIONS[text]


def test_a_name_with_a_schema_is_not_taken_for_a_field() -> None:
    assert parse_predicate("main.q.a = 1", "spark", IN_A_SCHEMA, DEFAULT_RULES) == UnknownPredicate()
    assert parse_predicate("q.a = 1", "spark", IN_A_SCHEMA, DEFAULT_RULES) == Comparison(("a",), "=", 1)


UNKNOWN_CONDITIONS = [
    "s NOT LIKE 'a%'",
    "NOT s LIKE '%a'",
    "s LIKE 'a%' ESCAPE 'a'",
    "s LIKE 'a_%'",
    "s LIKE ANY ('a%')",
    "s ILIKE 'a%'",
    "s NOT ILIKE 'a%'",
    "s RLIKE 'a'",
    "js LIKE 'a%'",
    "i <=> 1",
    "i IS DISTINCT FROM 1",
    "b IS TRUE",
    "i IN (SELECT 1)",
    "i = ANY (SELECT 1)",
    "i = ANY (VALUES (1))",
    "i > ALL (SELECT 1)",
    "i IN (1, NULL)",
    "i IN (1, x)",
    "s IN ('a', 1)",
    "d IN (DATE '2024-01-01', '2024-01-02')",
    "d IN ('2024-01-01', '2024-01-02')",
    "i = NULL",
    "i = '1'",
    "i = 1e0",
    "i = 99999999999999999999",
    "i = 1 + 1",
    "i = :p",
    "CAST(i AS INT) = 1",
    "i COLLATE UTF8_LCASE = 'a'",
    "s COLLATE UTF8_LCASE = 'a'",
    "s = 'a' COLLATE UTF8_LCASE",
    "s = 1",
    "s = 'it''s'",
    "s = '${x}'",
    "b = 1",
    "b = 'true'",
    "g = '1'",
    "g = 9007199254740993",
    "f = 16777217",
    "g = 1e999",
    "h = 1.5",
    "big = 12345678901234567890123456789.5",
    "d = '2024-1-1'",
    "d = '2024-02-30'",
    "d = ' 2024-01-01'",
    "d = '20240101'",
    "d = '2024-W01-1'",
    "d = TIMESTAMP '2024-01-01 00:00:00'",
    "d = CAST('2024-01-01' AS TIMESTAMP)",
    "d = TRY_CAST('2024-01-01' AS DATE)",
    "ts = CAST('2024-01-01 00:00:00+05:00' AS TIMESTAMP_NTZ)",
    "ts < '2024-12-01 25:61:61'",
    "ts < '2024-12-01 23:59:60'",
    "ts = '2024-01-01 10:00:00+00:00'",
    "ts = TIMESTAMP '2024-01-01 10:00:00+00:00'",
    "ts = '2024-01-01 10:00'",
    "ts = '2024-01-01Z'",
    "ts = '2024-01-01 24:00:00'",
    "ts = '2024-01-01 '",
    "ts = '2024-01-01 10:00:00.1234567'",
    "tz = '2024-01-01 10:00:00 America/New_York'",
    "tz = CAST('2024-01-01 00:00:00+05:00' AS TIMESTAMP_NTZ)",
    "ns = 1",
    "t = '10:00'",
    "t = '10:00:00.50'",
    "id = 'F0000000-0000-0000-0000-000000000000'",
    "js = 'a'",
    "bin = X'00'",
    "year(d) > 2024",
    "year(d) <> 2024",
    "year(d) = '2024'",
    "year(s) = 2024",
    "year(d) = 2024.0",
    "quarter(d) = 1",
    "st = 1",
    "s",
    "nobody = 1",
    "other.i = 1",
    "i = l",
    "lower(s) = 'a'",
    "EXISTS (SELECT 1)",
    "CASE WHEN i = 1 THEN b END",
]


@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
@pytest.mark.parametrize("text", UNKNOWN_CONDITIONS)
def test_what_is_not_known_is_left_to_spark(text: str, dialect: str) -> None:
    assert not is_understood(read(text, dialect))


@pytest.mark.parametrize("text", [r"s = '\u0041'", r"s = '\d'", r"s LIKE 'a\%%'", r"s = 'a' AND js = '\\'"])
def test_strings_beside_escapes_are_left_to_spark(text: str) -> None:
    assert not is_understood(read(text))


@pytest.mark.parametrize(
    "text",
    [
        "tz = '2024-01-01 10:00:00'",
        "tz = TIMESTAMP '2024-01-01 10:00:00'",
        "tz > DATE '2024-01-01'",
        "ts = TIMESTAMP '2024-01-01 10:00:00'",
        "year(tz) = 2024",
    ],
)
def test_a_moment_that_the_zone_of_the_session_decides_about_is_left_to_spark(text: str) -> None:
    assert read(text) != UnknownPredicate()
    assert read(text, rules=ELSEWHERE) == UnknownPredicate()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("spark.sql.caseSensitive", "true"),
        ("spark.sql.legacy.typeCoercion.datetimeToString.enabled", "true"),
        ("spark.sql.timestampType", "TIMESTAMP_NTZ"),
    ],
)
def test_a_setting_that_gives_names_or_constants_another_meaning_turns_shortcuts_off(setting: str, value: str) -> None:
    assert settings_from({}).is_usual
    assert not settings_from({setting: value}).is_usual


def test_a_field_that_may_be_a_qualified_column_is_left_to_spark() -> None:
    assert parse_predicate("st.a = 1", "spark", RowNames(NAMES.columns, "st"), DEFAULT_RULES) == UnknownPredicate()


def test_beside_other_tables_a_column_without_a_qualifier_is_left_to_spark() -> None:
    names = RowNames(NAMES.columns, "q", alone=False)
    assert parse_predicate("i = 1", "spark", names, DEFAULT_RULES) == UnknownPredicate()
    assert parse_predicate("q.i = 1", "spark", names, DEFAULT_RULES) == Comparison(("i",), "=", 1)
    # A table `st` in a schema `q` may have a column `a`.
    assert parse_predicate("q.st.a = 1", "spark", names, DEFAULT_RULES) == UnknownPredicate()
    assert parse_predicate("q.st.a = 1", "spark", NAMES, DEFAULT_RULES) == Comparison(("st", "a"), "=", 1)


SAMPLES: dict[type[exp.Expr], str] = {
    exp.Dot: "((st).a) = 1",
    exp.TsOrDsToDate: "year(d) = 2024",
    exp.Year: "year(d) = 2024",
    exp.Month: "month(d) = 1",
    exp.Day: "day(d) = 1",
    exp.DayOfMonth: "dayofmonth(d) = 1",
    exp.Hour: "hour(ts) = 1",
    exp.Paren: "(i = 1)",
    exp.Not: "NOT i = 1",
    exp.Neg: "i = -1",
    exp.And: "i = 1 AND l = 1",
    exp.Or: "i = 1 OR l = 1",
    exp.EQ: "i = 1",
    exp.NEQ: "i <> 1",
    exp.LT: "i < 1",
    exp.LTE: "i <= 1",
    exp.GT: "i > 1",
    exp.GTE: "i >= 1",
    exp.Is: "i IS NULL",
    exp.Like: "s LIKE 'a%'",
    exp.Between: "i BETWEEN 1 AND 2",
    exp.In: "i IN (1, 2)",
    exp.Column: "i = 1",
    exp.Identifier: "i = 1",
    exp.Literal: "s = 'a'",
    exp.Boolean: "b = TRUE",
    exp.Null: "i IS NULL",
    exp.Cast: "d = DATE '2024-01-01'",
    exp.DataType: "d = DATE '2024-01-01'",
}
"""For each kind of node, a condition that has it."""


def _arguments(kind: type[exp.Expr]) -> list[str]:
    return ["invented", *(name for name in kind.arg_types if name not in KNOWN[kind])]


@pytest.mark.parametrize(
    ("kind", "argument"),
    [pytest.param(kind, name, id=f"{kind.__name__}.{name}") for kind in KNOWN for name in _arguments(kind)],
)
def test_an_argument_that_nobody_knows_makes_a_node_unknown(kind: type[exp.Expr], argument: str) -> None:
    tree = parse_text(SAMPLES[kind], "spark").copy()
    assert is_understood(predicate_from_tree(tree, NAMES, DEFAULT_RULES))
    node = next(node for node in tree.walk() if type(node) is kind)
    node.set(argument, exp.Var(this="x"))
    assert not is_understood(predicate_from_tree(tree, NAMES, DEFAULT_RULES))


def test_a_node_of_a_class_below_a_known_one_is_unknown() -> None:
    class Similar(exp.Like):
        pass

    column = exp.Column(this=exp.Identifier(this="s"))
    assert read("s LIKE 'a%'") != UnknownPredicate()
    assert (
        predicate_from_tree(Similar(this=column, expression=exp.Literal.string("a%")), NAMES, DEFAULT_RULES)
        == UnknownPredicate()
    )
