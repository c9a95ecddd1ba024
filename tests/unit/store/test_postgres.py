"""Statements with `:named` parameters become what psycopg takes, and locations never show a password."""

import pytest

from forklake.errors import InvalidInput
from forklake.store.postgres import _describe, native_sql


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("SELECT :a, :b_2", "SELECT %(a)s, %(b_2)s"),
        ("WHERE x = :x AND y = (:x)", "WHERE x = %(x)s AND y = (%(x)s)"),
        ("SELECT '1'::bigint, a::text", "SELECT '1'::bigint, a::text"),
        ("SELECT :a::bigint", "SELECT %(a)s::bigint"),
        ("SELECT a % 2 WHERE b LIKE 'x%'", "SELECT a %% 2 WHERE b LIKE 'x%%'"),
        ("SELECT '12:30'", "SELECT '12:30'"),
        ("SELECT a[1:2]", "SELECT a[1:2]"),
        ("SELECT 1", "SELECT 1"),
    ],
)
def test_named_parameters_are_found_and_nothing_else_is(written: str, sent: str) -> None:
    assert native_sql(written) == sent


@pytest.mark.parametrize(
    "conninfo",
    [
        "postgresql://anna:geheim@db.example:5433/lakes",
        "host=db.example port=5433 dbname=lakes user=anna password=geheim",
        "postgresql://db.example:5433/lakes?user=anna&password=geheim",
    ],
)
def test_a_location_says_where_but_not_who_or_with_which_password(conninfo: str) -> None:
    assert _describe(conninfo, "ducklake") == "postgres:db.example:5433/lakes (schema ducklake)"


@pytest.mark.parametrize("conninfo", ["postgresql://anna:geh%eim@db/lakes", "host", "nosuchthing=geheim"])
def test_a_connection_string_that_makes_no_sense_is_refused_without_repeating_it(conninfo: str) -> None:
    with pytest.raises(InvalidInput, match="not a PostgreSQL connection string") as refused:
        _describe(conninfo, "ducklake")
    assert "geh" not in str(refused.value)
