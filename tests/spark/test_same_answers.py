"""Answers with shortcuts and without: the same rows, the same columns, the same errors."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import forklake
from forklake.api.session import Session
from forklake.errors import ForklakeError
from tests.spark.conftest import Lakehouse
from tests.spark.type_samples import FLAT, FLAT_ROWS
from trust.answers.subject import light

COLUMNS = "id BIGINT, a INT, b INT, s VARCHAR, d DATE, ts TIMESTAMP_NTZ, l ARRAY<INT>, t STRUCT<a: INT>"
FILES = [
    "(1, 1, 10, 'apple', DATE '2024-01-01', TIMESTAMP_NTZ '2024-01-01 00:00:00', array(1, 2), named_struct('a', 3))",
    "(2, 2, 20, 'banana', DATE '2024-06-01', TIMESTAMP_NTZ '2024-06-01 12:00:00', array(2), named_struct('a', 2))",
    "(3, 3, 1, 'berry', DATE '2025-01-01', TIMESTAMP_NTZ '2025-01-01 12:00:00', array(1), named_struct('a', 1))",
    "(4, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
]


@pytest.fixture
def sessions(local: Lakehouse) -> Iterator[dict[str, tuple[Session, Session]]]:
    """By dialect, a session and one without shortcuts; with a table of a file for each row, and one of inlined rows."""
    session = local.session
    session.sql("USE lake")
    session.sql(f"CREATE TABLE t ({COLUMNS})")
    session.sql("CREATE TABLE u (id BIGINT, x INT)")
    session.sql("CALL lake.set_option('data_inlining_row_limit', 0)")
    for row in FILES:
        session.sql(f"INSERT INTO t VALUES {row}")
    session.sql("INSERT INTO u VALUES (1, 2), (3, 4)")
    session.sql("CALL lake.set_option('data_inlining_row_limit', 10)")
    session.sql("CREATE TABLE small (id BIGINT, Name VARCHAR)")
    session.sql("INSERT INTO small VALUES (1, 'a'), (2, NULL)")
    duckdb = forklake.connect("duckdb", spark=local.spark)
    duckdb._state.attachments = session._state.attachments
    duckdb.sql("USE lake")
    pairs = {"spark": (session, session.cursor()), "duckdb": (duckdb, duckdb.cursor())}
    for _, plain in pairs.values():
        plain.sql("SET forklake_shortcuts = false")
    with light(local.spark):
        yield pairs
    duckdb._state.provider.cache.clear()


def answer(session: Session, text: str) -> Any:
    """The rows, titles and types of a query, or what is wrong with it."""
    try:
        found = session.sql(text).to_arrow()
    except ForklakeError as error:
        return type(error), str(error)[:60]
    return found.schema, sorted(map(repr, zip(*(column.to_pylist() for column in found.columns), strict=True)))


def differing(pair: tuple[Session, Session], queries: list[str]) -> list[str]:
    return [query for query in queries if answer(pair[0], query) != answer(pair[1], query)]


CONDITIONS = [
    "s NOT LIKE 'a%'",
    "NOT (s NOT LIKE 'b%')",
    "NOT (s LIKE 'b%')",
    "s NOT ILIKE 'A%'",
    "NOT (s NOT LIKE 'b%' OR a IS NULL)",
    "CASE WHEN s NOT LIKE 'a%' THEN true END",
    "NOT (a NOT IN (1, 2))",
    "NOT (a NOT BETWEEN 1 AND 2)",
    "s LIKE 'bb%' ESCAPE 'b'",
    "a IS NOT DISTINCT FROM NULL",
    "d = '2024-1-1'",
    "ts = CAST('2024-01-01 00:00:00' AS TIMESTAMP)",
    "ts < '2024-12-01 23:59:60'",
    "a = 1e0",
    "a = '1'",
]
QUERIES = [
    "SELECT x FROM t AS z(x, b, a, s, d, ts, l, t) WHERE a = 10",
    "SELECT x FROM t AS z(x, b, a, s, d, ts, l, t) WHERE z.a = 10",
    "SELECT * FROM (SELECT a, b FROM t) UNPIVOT (v FOR n IN (a, b)) WHERE v = 10",
    "SELECT n, v FROM t UNPIVOT (v FOR n IN (a, b)) WHERE v = 10",
    "SELECT n FROM t UNPIVOT (a FOR n IN (b)) WHERE a = 10",
    "SELECT * FROM t PIVOT (max(id) AS a FOR b IN (10 AS p, 20 AS q)) WHERE p = 1",
    "SELECT * FROM (SELECT a, b FROM t) PIVOT (sum(b) FOR a IN (1 AS b, 2 AS c)) WHERE b = 10",
    "SELECT * FROM u JOIN t ON u.id = t.id PIVOT (max(x) FOR t.a IN (1 AS p, 3 AS q)) WHERE p = 2",
    "SELECT id, e FROM t LATERAL VIEW explode(l) v AS e WHERE e = 2",
    "SELECT t.id FROM t LATERAL VIEW explode(l) z AS e WHERE t.a = 2",
    "SELECT t.a FROM t WHERE t.a = 1",
    "SELECT id FROM t WHERE t.t.a = 1",
    "SELECT id FROM t AS z WHERE t.a = 1",
    "FROM t |> SELECT b AS a, id |> WHERE a = 10",
    "FROM t |> WHERE a = 1 |> SELECT id",
    "SELECT t.id FROM u LEFT JOIN t ON u.id = t.id WHERE t.a = 1",
    "SELECT id FROM u RIGHT JOIN t USING (id) WHERE u.x IS NULL",
    "SELECT id FROM u NATURAL JOIN t WHERE t.a = 3",
    "SELECT u.id FROM u LEFT ANTI JOIN t ON u.id = t.id WHERE u.x = 2",
    "SELECT u.id FROM u LEFT SEMI JOIN t ON u.id = t.id AND t.a = 3 WHERE u.x = 4",
    "WITH t AS (SELECT id AS a FROM u) SELECT a FROM t WHERE a = 3",
    "SELECT id FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.id = u.id AND x = 2)",
    "SELECT a AS b FROM t WHERE b = 10",
    "SELECT sum(a) FILTER (WHERE b = 10) FROM t WHERE a = 1",
    "SELECT id, count(*) OVER () FROM t WHERE a >= 2 QUALIFY row_number() OVER (ORDER BY id) = 1",
    "SELECT id FROM t WHERE a = 1 UNION ALL SELECT id FROM t WHERE a = 2",
]


def test_conditions_keep_the_same_rows_in_both_dialects(sessions: dict[str, tuple[Session, Session]]) -> None:
    queries = [f"SELECT id FROM t WHERE {condition}" for condition in CONDITIONS]
    assert differing(sessions["spark"], queries) == []
    assert differing(sessions["duckdb"], queries[:4]) == []


def test_queries_of_any_shape_give_the_same_rows(sessions: dict[str, tuple[Session, Session]]) -> None:
    assert differing(sessions["spark"], QUERIES) == []


DELETES = [
    *CONDITIONS,
    "ts = CAST('2024-01-01 00:00:00+05:00' AS TIMESTAMP_NTZ)",
    "ts < '2024-12-01 25:61:61'",
    "a >= 0 OR 1 / (a - a) = 1",
    "1 / (a - a) = 1 OR a >= 0",
    "a > 100 AND nobody(a) = 1",
    "s >= 'a' AND a < 5",
]


@pytest.mark.parametrize(
    ("statement", "conditions"), [("DELETE FROM t WHERE {}", DELETES), ("UPDATE t SET b = 0 WHERE {}", DELETES[:2])]
)
def test_changes_are_those_that_spark_would_make(
    sessions: dict[str, tuple[Session, Session]], statement: str, conditions: list[str]
) -> None:
    for condition in conditions:
        outcomes = []
        for session in sessions["spark"]:
            session.begin()
            said = answer(session, statement.format(condition))
            outcomes.append((said, answer(session, "SELECT id, b FROM t") if isinstance(said[0], pa.Schema) else None))
            session.rollback()
        assert outcomes[0] == outcomes[1], condition


def test_a_value_that_cannot_be_worked_out_is_an_error_where_no_row_is_changed(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int"})
    table.append([(1,)])
    for text in ("UPDATE lake.t SET id = nobody(id) WHERE id = 5", "DELETE FROM lake.t WHERE id = 5 AND nobody(id)"):
        with pytest.raises(ForklakeError, match="nobody"):
            local.session.sql(text)


def test_files_of_others_are_read_before_their_rows_are_deleted(local: Lakehouse, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": pa.array([1, 2], pa.int32())}), tmp_path / "theirs.parquet")
    table = local.lake.create_table("t", {"id": "int"})
    table.add_files(str(tmp_path / "theirs.parquet"))
    (tmp_path / "theirs.parquet").unlink()
    with pytest.raises(ForklakeError, match="does not exist"):
        table.delete("id >= 1")


METADATA_ANSWERS = [
    "SELECT * FROM small",
    "SELECT id, Name FROM small",
    "SELECT NAME, ID FROM small",
    "SELECT name AS `A b`, id AS Id FROM small",
    "SELECT id, id FROM small",
    "SELECT DISTINCT id FROM small",
    "SELECT small.id FROM small",
    "SELECT small.* FROM small",
    "SELECT * EXCEPT (id) FROM small",
    "SELECT z.b FROM small AS z(a, b)",
    "SELECT a FROM small AS z(a, b)",
    "SELECT count(*) FROM small",
    "SELECT count(1) FROM small",
    "SELECT count(2) FROM small",
    "SELECT count('a') FROM small",
    "SELECT count(NULL) FROM small",
    "SELECT count(DISTINCT 1) FROM small",
    "SELECT count(*) AS N FROM small",
    "SELECT count(*) FILTER (WHERE id = 1) FROM small",
    "SELECT count(*) OVER () FROM small",
    "SELECT count(name) FROM small",
    "SELECT count(*), 1 FROM small",
    "SELECT count(*) FROM small TABLESAMPLE (0 ROWS)",
    "SELECT count(*) FROM small LIMIT 0",
    "SELECT /*+ REPARTITION(2) */ id FROM small",
    "SELECT count(*) FROM t",
]


def test_what_metadata_answer_has_the_titles_and_types_that_spark_gives(
    sessions: dict[str, tuple[Session, Session]],
) -> None:
    assert differing(sessions["spark"], METADATA_ANSWERS) == []
    in_duckdb = [query.replace("`", '"') for query in METADATA_ANSWERS if "SAMPLE" not in query and "/*" not in query]
    assert differing(sessions["duckdb"], in_duckdb) == []


def test_inlined_rows_of_every_type_are_shown_as_spark_shows_them(local: Lakehouse) -> None:
    local.lake.set_option("data_inlining_row_limit", 100)
    table = local.lake.create_table("every", FLAT)
    table.append(list(FLAT_ROWS))
    plain = local.session.cursor()
    plain.sql("SET forklake_shortcuts = false")
    for text in ("SELECT * FROM lake.every", f"SELECT {next(iter(FLAT))} FROM lake.every"):
        assert answer(local.session, text) == answer(plain, text)
    local.lake.create_table("empty", FLAT)
    assert answer(local.session, "SELECT * FROM lake.empty") == answer(plain, "SELECT * FROM lake.empty")


def test_the_smallest_and_largest_value_of_every_type_are_those_of_spark(local: Lakehouse) -> None:
    table = local.lake.create_table("every", FLAT)
    for row in FLAT_ROWS:
        table.append([row])
    plain = local.session.cursor()
    plain.sql("SET forklake_shortcuts = false")
    asked = [(side, name) for side in ("min", "max") for name in FLAT]
    calls = ", ".join(f"{side}(`{name}`)" for side, name in asked)
    [expected] = plain.sql(f"SELECT {calls} FROM lake.every").fetchall()
    for (side, name), value in zip(asked, expected, strict=True):
        assert repr(getattr(table, side)(name)) == repr(value), (side, name)
