"""The strict grammar of what is answered although Spark does not see its text."""

import pytest

from forklake.sql.parsing.plain_syntax import is_plain_condition, is_plain_rows, is_plain_select, is_plain_sum

PLAIN = [
    "SELECT * FROM e WHERE id = 1",
    "select id, max(a) as m, count(*) n, count(distinct b) from lake.main.`e x` AS t"
    " where t.id in (1, -2, 3) and not (s like 'a%' or s is not null)"
    " group by id, b having max(a) > 3 order by n desc nulls first, id limit 10 offset 2;",
    "SELECT id FROM e WHERE d = DATE '2020-01-01' AND ts >= TIMESTAMP'2020-01-01 00:00:00' -- end",
    "SELECT id FROM e WHERE year(d) = 2024 AND cast(a as decimal(10,2)) < 1.5e3 AND b::int <> :p",
    "SELECT DISTINCT a FROM table_changes('e', 1, versions => ARRAY(1,2)) t",
    "SELECT 'x' AS ``, id FROM e",
    "SELECT date, timestamp, name, comment, index, key FROM e",
    "SELECT /* of */ id FROM e WHERE a BETWEEN 1 AND 2 AND s.f.g = 'x' AND b IS NOT TRUE",
    "SELECT snapshot_id FROM ducklake_snapshots('lake')",
    "SELECT * FROM e AS e WHERE (b)",
    "SELECT * FROM e WHERE b IN ('', '''', 'it''s') AND c = \"x\"",
    "SELECT * FROM e WHERE (b = 1)",
]
NOT_PLAIN = [
    "SELECT id, FROM e",
    "SELECT *, FROM e",
    "SELECT FROM e",
    "FROM e SELECT id",
    "SELECT id FROM e WHERE id IN (1,)",
    "SELECT id FROM e WHERE s NOT NULL",
    "SELECT id FROM e WHERE s ISNULL",
    "SELECT id FROM e WHERE s NOTNULL",
    "SELECT id FROM e ORDER BY id LIMIT 1, 2",
    "SELECT id FROM e GROUP BY a,",
    "SELECT id FROM e ORDER BY id,",
    "SELECT max(id,) FROM e",
    "SELECT id FROM e LIMIT 2 WHERE id=1",
    "SELECT id FROM e OFFSET 1 LIMIT 1",
    "SELECT id FROM e ORDER BY id GROUP BY id",
    "SELECT id FROM e GROUP BY id WHERE id = 1",
    "SELECT id FROM e HAVING a>1 GROUP BY a",
    "SELECT id FROM e OFFSET 2 ROWS",
    "SELECT * FROM e *",
    "SELECT é FROM e",
    "SELECT id \u3164 FROM e",
    "SELECT id\u00a0FROM e",
    "SELECT id FROM e WHERE a = 1a",
    "SELECT 1x FROM e",
    "SELECT id FROM e WHERE a = 1 -- x \\\n AND b = 2",
    "SELECT id FROM e /* /* */ WHERE a = 1 */",
    "SELECT /*+ BROADCAST(e) */ id FROM e",
    "SELECT id FROM e WHERE a = 'x' 'z'",
    "SELECT id FROM e WHERE a = 'x'\"z\"",
    "SELECT id AS 'x' FROM e",
    "SELECT id FROM e WHERE a = b = c",
    "SELECT id FROM e WHERE a = b IS NULL",
    "SELECT id FROM e WHERE (a, b) = (1, 2)",
    "SELECT id FROM e t u",
    "SELECT id a b FROM e",
    "SELECT id FROM e) UNION (SELECT id FROM f",
    "SELECT id FROM e WHERE a = current_date",
    "SELECT id FROM e WHERE a = 'no end",
    "SELECT * FROM e WHERE (b)",
    "SELECT * FROM e WHERE (b, `c d`) ORDER BY b",
]


@pytest.mark.parametrize("text", PLAIN)
def test_what_spark_certainly_accepts_is_plain(text: str) -> None:
    assert is_plain_select(text)


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_whatever_spark_may_refuse_or_read_otherwise_is_not(text: str) -> None:
    assert not is_plain_select(text)


@pytest.mark.parametrize("text", ["id=1) OR (id=2", "a) or (b", "id IN (1,)", "s ISNULL", "", "id = 1;", "id = 1, 2"])
def test_a_text_that_is_not_one_condition_is_not_plain(text: str) -> None:
    assert is_plain_condition("id = 1 OR (a AND NOT b)")
    assert not is_plain_condition(text)


@pytest.mark.parametrize("text", ["a", "t.`a b` + 1", "a - -1", "(a)", "2*a /* twice */", "a-1", "-a + b * c", ":p"])
def test_a_sum_is_plain(text: str) -> None:
    assert is_plain_sum(text)


@pytest.mark.parametrize("text", ["a +", "a + + 1", "a 1", "a AS b", "a;", "a, b", "a / 2", "a = b", "", "1a + 1"])
def test_what_is_not_certainly_a_sum_is_not_plain(text: str) -> None:
    assert not is_plain_sum(text)


@pytest.mark.parametrize(
    "text",
    [
        "VALUES (1, 'a'), (-2, NULL)",
        "values (1) AS v(id)",
        "VALUES (DATE '2024-01-01', :p) v (a, `b c`)",
        "VALUES (1) v",
        "SELECT 1 AS id, 'a' AS item",
    ],
)
def test_rows_of_literals_are_plain(text: str) -> None:
    assert is_plain_rows(text)


@pytest.mark.parametrize(
    "text",
    [
        "VALUES (1),",
        "VALUES (1,)",
        "VALUES ()",
        "VALUES 1, 2",
        "VALUES (1) AS v(id,)",
        "VALUES (1) AS v(1)",
        "VALUES (1) AS v() ",
        "VALUES (1) AS v AS w",
        "VALUES (1) AS select(id)",
        "VALUES (1);",
        "SELECT 1 AS id,",
        "SELECT 1 AS id;",
        "SELECT 1 AS from",
        "SELECT /*+ BROADCAST(x) */ 1 AS id",
        "VALUES (1) UNION VALUES (2)",
        "VALUES (1) LIMIT 1",
    ],
)
def test_what_are_not_certainly_rows_of_literals_is_not_plain(text: str) -> None:
    assert not is_plain_rows(text)
