"""The shapes of queries that DuckDB and its dialect of ours both answer, with every column named.

{A} and {B} are tables, called a and b, as in `query_rules`.
"""

from collections.abc import Sequence

QUERIES: Sequence[tuple[str, str]] = (
    ("a", "SELECT a.k, <text> AS x, <int> AS y FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT <bool> AS p, <date> AS d, a.k AS k FROM {A} a"),
    ("a", "FROM {A} AS a SELECT a.k, <ntz> AS x WHERE <bool>"),
    ("a", "SELECT DISTINCT <text> AS x, <bool> AS p FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT a.k FROM {A} AS a WHERE <bool> ORDER BY a.k DESC LIMIT 3 OFFSET 1"),
    ("a", "SELECT count(*) AS n, min(a.k) AS m, max(<c.date>) AS d, sum(<c.dec>) AS s FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT count(*) FILTER (WHERE <bool>) AS n, count(DISTINCT <c.int>) AS d FROM {A} AS a"),
    ("a", "SELECT <bool> AS g, count(*) AS n, min(a.k) AS m FROM {A} AS a WHERE <bool> GROUP BY ALL"),
    ("a", "SELECT <c.text> AS g, count(*) AS n FROM {A} AS a WHERE <bool> GROUP BY 1 HAVING count(*) > 1"),
    ("a", "SELECT x, y, count(*) AS n FROM (SELECT <c.bool> AS x, <c.int> AS y FROM {A} AS a) GROUP BY ROLLUP (x, y)"),
    ("a", "SELECT list(a.k ORDER BY a.k) AS l, string_agg(a.k::VARCHAR, '-' ORDER BY a.k) AS s FROM {A} AS a"),
    ("a", "SELECT a.k, row_number() OVER (PARTITION BY <bool> ORDER BY a.k) AS r FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT a.k, lag(a.k, 1, 0) OVER (ORDER BY a.k) AS r FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT a.k FROM {A} AS a WHERE <bool> QUALIFY row_number() OVER (PARTITION BY a.k % 3 ORDER BY a.k) = 1"),
    (
        "a",
        "SELECT a.k, sum(a.k) OVER (ORDER BY a.k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS r FROM {A} AS a "
        "WHERE <bool>",
    ),
    ("a", "SELECT DISTINCT ON (a.k % 2) a.k % 2 AS m, a.k FROM {A} AS a WHERE <bool> ORDER BY a.k % 2, a.k"),
    ("a", "WITH c AS (SELECT a.k FROM {A} AS a WHERE <bool>) SELECT c.k, (SELECT count(*) FROM c) AS n FROM c"),
    ("a", "WITH {B} AS (SELECT a.k FROM {A} AS a WHERE <bool>) SELECT k FROM {B}"),
    ("a", "SELECT k FROM (SELECT k + 10 AS k FROM {A} AS a WHERE <bool>) WHERE k < 20"),
    ("a", "SELECT a.k, l.x FROM {A} AS a, LATERAL (SELECT a.k + 1 AS x) AS l WHERE <bool>"),
    ("a", "SELECT n, v FROM (SELECT k + 1 AS i, k + 2 AS j FROM {A} AS a WHERE <bool>) UNPIVOT (v FOR n IN (i, j))"),
    # With count, a cell without rows is 0 in DuckDB and NULL in Spark, which we do not translate.
    ("a", "SELECT * FROM (SELECT a.k % 3 AS p, a.k FROM {A} AS a WHERE <bool>) PIVOT (max(k) FOR p IN (0, 1, 2))"),
    ("a", "SELECT v.k FROM (VALUES (1), (2), (3)) AS v(k) WHERE v.k IN (SELECT a.k FROM {A} AS a WHERE <bool>)"),
    ("ab", "SELECT a.k, b.k AS bk FROM {A} AS a JOIN {B} AS b ON a.k = b.k AND <bool> WHERE <bool>"),
    ("ab", "SELECT a.k, b.k AS bk FROM {A} AS a LEFT JOIN {B} AS b ON a.k = b.k AND <bool>"),
    ("ab", "SELECT a.k, b.k AS bk FROM {A} AS a RIGHT JOIN {B} AS b ON a.k = b.k WHERE <bool>"),
    ("ab", "SELECT a.k, b.k AS bk FROM {A} AS a FULL JOIN {B} AS b ON a.k = b.k WHERE <bool>"),
    ("ab", "SELECT a.k, b.k AS bk FROM {A} AS a, {B} AS b WHERE a.k = b.k AND <bool>"),
    ("ab", "SELECT a.k FROM {A} AS a SEMI JOIN {B} AS b ON a.k = b.k WHERE a.k > 2"),
    ("ab", "SELECT a.k FROM {A} AS a ANTI JOIN {B} AS b ON a.k = b.k WHERE a.k > 2"),
    ("ab", "SELECT k, count(*) AS n FROM {A} AS a JOIN {B} AS b USING (k) WHERE <bool> GROUP BY k"),
    ("ab", "SELECT a.k FROM {A} AS a WHERE EXISTS (SELECT 1 FROM {B} AS b WHERE a.k = b.k AND <bool>)"),
    ("ab", "SELECT a.k FROM {A} AS a WHERE NOT EXISTS (SELECT 1 FROM {B} AS b WHERE a.k = b.k AND <bool>)"),
    ("a", "SELECT a.k FROM {A} AS a WHERE a.k IN (SELECT k FROM {B} WHERE k > 3) AND <bool>"),
    ("a", "SELECT a.k FROM {A} AS a WHERE a.k NOT IN (SELECT k + 1 FROM {B} WHERE k < 9) OR <bool>"),
    ("a", "SELECT a.k FROM {A} AS a WHERE a.k > (SELECT min(k) FROM {B} WHERE k < 9) AND <bool>"),
    ("a", "SELECT a.k FROM {A} AS a WHERE a.k = ANY (SELECT k FROM {B} WHERE k < 9) OR <bool>"),
    ("a", "SELECT a.k FROM {A} AS a WHERE <bool> UNION ALL SELECT k FROM {B} WHERE k < 5"),
    ("a", "SELECT a.k FROM {A} AS a WHERE <bool> UNION SELECT k FROM {B} WHERE k BETWEEN 2 AND 7"),
    ("a", "SELECT k FROM {B} WHERE k <> 4 INTERSECT SELECT a.k FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT k FROM {B} WHERE k NOT IN (4, 5) EXCEPT SELECT a.k FROM {A} AS a WHERE <bool>"),
)  # fmt: skip

CHANGES: Sequence[tuple[str, str]] = (
    ("a", "DELETE FROM {A} AS a WHERE <bool>"),
    ("a", "DELETE FROM {A} AS a WHERE <bool>"),
    ("a", "DELETE FROM {A} AS a WHERE a.k IN (SELECT k FROM {B} WHERE k > 5) AND <bool>"),
    ("a", "UPDATE {A} AS a SET k = a.k + 1000 WHERE <bool>"),
    ("a", "UPDATE {A} AS a SET {text} = <text> WHERE <bool>"),
    ("a", "UPDATE {A} AS a SET {date} = <date>, {bool} = <bool> WHERE <bool>"),
    ("a", "INSERT INTO {A} (k, {text}, {bool}) SELECT a.k + 500, <text>, <bool> FROM {A} AS a WHERE <bool>"),
    ("a", "INSERT INTO {A} (k, {date}) SELECT a.k + 900, <date> FROM {A} AS a WHERE <bool>"),
    (
        "ab",
        "MERGE INTO {A} AS a USING {B} AS b ON a.k = b.k AND <bool> WHEN MATCHED THEN UPDATE SET {text} = "
        "'merged' WHEN NOT MATCHED THEN INSERT (k) VALUES (b.k + 700)",
    ),
    (
        "ab",
        "MERGE INTO {A} AS a USING (SELECT * FROM {B} WHERE k < 20) AS b ON a.k = b.k WHEN MATCHED AND <bool> "
        "THEN DELETE WHEN MATCHED THEN UPDATE SET {text} = <text>",
    ),
)
