"""The shapes of queries and of statements that change rows, over one table or two.

{A} and {B} are tables, called a and b. A shape whose name begins with `a` has conditions over the columns of a alone.
"""

from collections.abc import Sequence

QUERIES: Sequence[tuple[str, str]] = (
    ("a", "SELECT a.k, <text> AS x, <int> AS y FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT a.* FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT a.k FROM {A} TABLESAMPLE (100 PERCENT) AS a WHERE <bool>"),
    ("a", "SELECT count(*) FROM {A} TABLESAMPLE (2 ROWS) AS a WHERE <bool> OR true"),
    ("a", "SELECT a.k FROM {A} TABLESAMPLE (BUCKET 1 OUT OF 1) AS a WHERE <bool>"),
    ("a", "SELECT <bool> AS p, <date> AS d, a.k AS k FROM {A} a"),
    ("a", "SELECT DISTINCT <text> AS x, <bool> AS p FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT a.k FROM {A} AS a WHERE <bool> ORDER BY a.k DESC LIMIT 3 OFFSET 1"),
    ("a", "SELECT count(*) FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT count(*) AS n, min(a.k), max(<c.text>) AS t, sum(<c.dec>) AS s FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT count(1) FROM {A} AS a"),
    ("a", "SELECT min(<c.date>) AS a1, max(<c.ts>) AS a2, min(<c.dbl>) AS a3, count(<c.text>) AS a4 FROM {A} AS a"),
    ("a", "SELECT <bool> AS g, count(*) AS n, min(a.k) AS m FROM {A} AS a WHERE <bool> GROUP BY <bool>, 1"),
    ("a", "SELECT <c.text> AS g, count(*) AS n FROM {A} AS a WHERE <bool> GROUP BY ALL HAVING count(*) > 1"),
    (
        "a",
        "SELECT x, y, count(*) AS n FROM (SELECT <c.bool> AS x, <c.int> AS y FROM {A} AS a WHERE <bool>) "
        "GROUP BY ROLLUP (x, y)",
    ),
    (
        "a",
        "SELECT x, y, count(*) AS n FROM (SELECT <c.bool> AS x, <c.date> AS y FROM {A} AS a) GROUP BY "
        "GROUPING SETS ((x), (y), ())",
    ),
    ("a", "SELECT a.k, row_number() OVER (PARTITION BY <bool> ORDER BY a.k) AS r FROM {A} AS a WHERE <bool>"),
    (
        "a",
        "SELECT a.k, sum(a.k) OVER (ORDER BY a.k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS r FROM {A} AS "
        "a WHERE <bool> QUALIFY r > 3",
    ),
    (
        "a",
        "WITH c AS (SELECT * FROM {A} AS a WHERE <bool>) SELECT c.k, (SELECT count(*) FROM c) AS n FROM c "
        "WHERE c.k > 2",
    ),
    ("a", "WITH {B} AS (SELECT * FROM {A} AS a WHERE <bool>) SELECT k FROM {B}"),
    ("a", "WITH {A} AS (SELECT a.k + 1 AS k FROM {A} AS a WHERE <bool>) SELECT k FROM {A} WHERE k < 20"),
    ("a", "SELECT k FROM (SELECT k + 10 AS k FROM {A} AS a WHERE <bool>) WHERE k < 20"),
    ("a", "SELECT a.k, e.x FROM {A} AS a LATERAL VIEW explode(<c.list>) e AS x WHERE <bool>"),
    (
        "a",
        "SELECT a.k, e.k AS e FROM {A} AS a LATERAL VIEW OUTER explode(<c.list>) e AS k WHERE a.k > 3 AND "
        "e.k IS NULL",
    ),
    ("a", "SELECT a.k, l.x FROM {A} AS a, LATERAL (SELECT a.k + 1 AS x) AS l WHERE <bool>"),
    (
        "a",
        "SELECT * FROM (SELECT <c.bool> AS p, a.k AS k FROM {A} AS a WHERE <bool>) PIVOT (count(k) FOR p IN "
        "(true, false))",
    ),
    ("a", "SELECT * FROM {B} PIVOT (max(k) AS k FOR k IN (1, 2, 3)) WHERE `1_k` IS NULL OR true"),
    (
        "a",
        "SELECT k, n, v FROM (SELECT k, <int> AS i1, <int> AS i2 FROM {A} AS a) UNPIVOT (v FOR n IN (i1, "
        "i2)) WHERE v > 1",
    ),
    ("a", "FROM {A} AS a |> WHERE <bool> |> SELECT k |> ORDER BY k"),
    ("a", "SELECT k FROM VALUES (1), (2), (3) AS v(k) WHERE k IN (SELECT a.k FROM {A} AS a WHERE <bool>)"),
    ("a", "TABLE {A}"),
    ("ab", "SELECT a.k, b.k AS bk FROM {A} AS a JOIN {B} AS b ON a.k = b.k AND <bool> WHERE <bool>"),
    ("ab", "SELECT a.k, b.k AS bk FROM {A} AS a LEFT JOIN {B} AS b ON a.k = b.k AND <bool>"),
    ("ab", "SELECT a.k, b.k AS bk FROM {A} AS a LEFT JOIN {B} AS b ON a.k = b.k WHERE <bool>"),
    ("ab", "SELECT a.k, b.k AS bk FROM {A} AS a RIGHT OUTER JOIN {B} AS b ON a.k = b.k WHERE <bool>"),
    ("ab", "SELECT a.k, b.k AS bk FROM {A} AS a FULL JOIN {B} AS b ON a.k = b.k AND <bool> WHERE <bool>"),
    ("ab", "SELECT a.k, b.k AS bk FROM {A} AS a, {B} AS b WHERE a.k = b.k AND <bool>"),
    ("ab", "SELECT a.k, b.k AS bk FROM {A} AS a CROSS JOIN {B} AS b WHERE a.k = b.k + 1 AND (<bool>)"),
    ("ab", "SELECT a.k FROM {A} AS a LEFT SEMI JOIN {B} AS b ON a.k = b.k AND <bool>"),
    ("ab", "SELECT a.k FROM {A} AS a LEFT ANTI JOIN {B} AS b ON a.k = b.k AND <bool>"),
    ("ab", "SELECT k, count(*) AS n FROM {A} AS a JOIN {B} AS b USING (k) WHERE <bool> GROUP BY k"),
    (
        "ab",
        "SELECT a.k FROM {A} AS a JOIN {B} AS b ON a.k = b.k LEFT JOIN {A} AS c ON c.k = b.k + 1 WHERE c.k "
        "IS NULL AND <bool>",
    ),
    ("ab", "SELECT a.k FROM {A} AS a WHERE EXISTS (SELECT 1 FROM {B} AS b WHERE a.k = b.k AND <bool>)"),
    ("ab", "SELECT a.k FROM {A} AS a WHERE NOT EXISTS (SELECT 1 FROM {B} AS b WHERE a.k = b.k AND <bool>)"),
    ("a", "SELECT a.k FROM {A} AS a WHERE a.k IN (SELECT k FROM {B} WHERE k > 3) AND <bool>"),
    ("a", "SELECT a.k FROM {A} AS a WHERE a.k NOT IN (SELECT k + 1 FROM {B} WHERE k < 9) OR <bool>"),
    ("a", "SELECT a.k FROM {A} AS a WHERE a.k > (SELECT min(k) FROM {B} WHERE k < 9) AND <bool>"),
    ("a", "SELECT a.k, (SELECT max(b.k) FROM {B} AS b WHERE b.k <= a.k) AS m FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT a.k FROM {A} AS a WHERE <bool> UNION ALL SELECT k FROM {B} WHERE k < 5"),
    ("a", "SELECT a.k FROM {A} AS a WHERE <bool> UNION SELECT k FROM {B} WHERE k BETWEEN 2 AND 7"),
    ("a", "SELECT k FROM {B} WHERE k <> 4 INTERSECT SELECT a.k FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT k FROM {B} WHERE k NOT IN (4, 5) EXCEPT ALL SELECT a.k FROM {A} AS a WHERE <bool>"),
    ("a", "SELECT a.k FROM {A} AS a NATURAL JOIN (SELECT k FROM {B} WHERE k > 2) AS n WHERE <bool>"),
)  # fmt: skip

CHANGES: Sequence[tuple[str, str]] = (
    ("a", "DELETE FROM {A} AS a WHERE <bool>"),
    ("a", "DELETE FROM {A} AS a WHERE <bool>"),
    ("a", "DELETE FROM {A} AS a WHERE a.k IN (SELECT k FROM {B} WHERE k > 5) AND <bool>"),
    ("a", "DELETE FROM {A} AS a WHERE EXISTS (SELECT 1 FROM {B} AS b WHERE b.k = a.k + 1) OR <bool>"),
    ("a", "DELETE FROM {A} AS a WHERE a.k < (SELECT max(k) FROM {A}) AND <bool>"),
    ("a", "UPDATE {A} AS a SET k = a.k + 1000 WHERE <bool>"),
    ("a", "UPDATE {A} AS a SET {text} = <text> WHERE <bool>"),
    ("a", "UPDATE {A} AS a SET {date} = <date>, {bool} = <bool> WHERE <bool>"),
    ("a", "UPDATE {A} AS a SET {text} = (SELECT max(CAST(k AS STRING)) FROM {B}) WHERE <bool>"),
    ("a", "INSERT INTO {A} (k, {text}, {bool}) SELECT a.k + 500, <text>, <bool> FROM {A} AS a WHERE <bool>"),
    (
        "a",
        "INSERT INTO {A} (k, {date}) SELECT k + 900, DATE '2024-01-01' FROM {B} WHERE k IN (SELECT a.k FROM "
        "{A} AS a WHERE <bool>)",
    ),
    (
        "ab",
        "MERGE INTO {A} AS a USING {B} AS b ON a.k = b.k AND <bool> WHEN MATCHED THEN UPDATE SET {text} = "
        "'merged' WHEN NOT MATCHED THEN INSERT (k) VALUES (b.k + 700)",
    ),
    (
        "ab",
        "MERGE INTO {A} AS a USING (SELECT * FROM {B} WHERE k < 20) AS b ON a.k = b.k WHEN MATCHED AND "
        "<bool> THEN DELETE WHEN MATCHED THEN UPDATE SET {text} = <text>",
    ),
    (
        "a",
        "MERGE INTO {A} AS a USING {B} AS b ON a.k = b.k WHEN NOT MATCHED BY SOURCE AND <bool> THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET {bool} = true",
    ),
)  # fmt: skip
