"""Which queries name their columns anew, and how."""

import pytest
from sqlglot import exp

from forklake.sql.parsing.table_references import apply_edits, parse_query
from forklake.sql.queries.column_aliases import column_alias_edits


def named_anew(query: str) -> str | None:
    parsed = parse_query(query, "spark")
    node = parsed.references[0].node if parsed.references else exp.Table()
    edits = column_alias_edits(parsed.tree, node, ("id", "a b"))
    return None if edits is None else apply_edits(parsed.text, edits)


@pytest.mark.parametrize(
    ("query", "anew"),
    [
        ("SELECT * FROM t WHERE id = 1", "SELECT `id` AS `id`, `a b` AS `a b` FROM t WHERE id = 1"),
        ("SELECT *, id FROM t", "SELECT `id` AS `id`, `a b` AS `a b`, id AS `id` FROM t"),
        ("SELECT ID, `a b` FROM t LIMIT 3", "SELECT ID AS `ID`, `a b` AS `a b` FROM t LIMIT 3"),
        ("SELECT id + 1 AS y, id AS x FROM t", "SELECT id + 1 AS y, id AS x FROM t"),
    ],
)
def test_columns_that_the_text_tells_are_named_anew(query: str, anew: str) -> None:
    assert named_anew(query) == anew


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM t JOIN u ON t.id = u.id",
        "SELECT * FROM (SELECT id FROM t)",
        "SELECT * FROM t AS x(a, b)",
        "SELECT * FROM t TABLESAMPLE (10 PERCENT)",
        "SELECT * EXCEPT (id) FROM t",
        "SELECT t.* FROM t",
        "SELECT t.id FROM t",
        "SELECT id, count(id) FROM t GROUP BY id",
        "SELECT id FROM t ORDER BY id",
        "SELECT a.id FROM t a JOIN t b ON a.id = b.id",
        "WITH c AS (SELECT id FROM t) SELECT id FROM c",
        "SELECT id + 1 FROM t",
        "SELECT IDENTIFIER('id') FROM t",
        "SELECT (id) FROM t",
        "SELECT user FROM t",
        "SELECT DISTINCT id FROM t",
        "SELECT id FROM t ORDER BY t.id",
        "SELECT id FROM t UNION ALL SELECT id FROM t",
        "SELECT id FROM t LATERAL VIEW explode(array(1)) AS e",
        "VALUES (1)",
        "not a query",
    ],
)
def test_others_are_left_alone(query: str) -> None:
    assert named_anew(query) is None
