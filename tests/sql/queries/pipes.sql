-- operators of Spark's pipe syntax over our tables
-- backend: sqlite
CREATE TABLE t (a INT, b INT, c STRING);
INSERT INTO t VALUES (1, 2, 'x'), (3, 4, 'y');
CREATE TABLE u (a INT, z INT);
INSERT INTO u VALUES (1, 10);
FROM t |> SET a = 9, b = a + (SELECT max(z) FROM u) |> ORDER BY b;
--> 9 | 19 | x
--> 9 | 19 | y
FROM main.t |> DROP b, `c` |> ORDER BY a;
--> 1
--> 3
SELECT * FROM lake.main.t |> WHERE main.t.a = 1 |> SET b = 0;
--> 1 | 0 | x
TABLE t |> DROP a |> ORDER BY b;
--> 2 | x
--> 4 | y
WITH q AS (SELECT * FROM t) FROM q |> SET a = 5 |> AGGREGATE sum(a) AS s;
--> 10
SELECT count(*) FROM (FROM t, u |> SET z = 3) WHERE z = 3;
--> 2
FROM t |> EXTEND a + 1 AS e |> AS x |> SELECT x.e |> ORDER BY e;
--> 2
--> 4
FROM t |> JOIN u USING (a) |> SET z = z + 1;
--> 1 | 2 | x | 11
FROM t |> UNION ALL (SELECT * FROM t) |> AGGREGATE count(*) AS n GROUP BY a |> ORDER BY a;
--> 1 | 2
--> 3 | 2
FROM t |> TABLESAMPLE (100 PERCENT) |> DROP b, c |> ORDER BY a;
--> 1
--> 3
FROM t |> DROP b |> PIVOT (sum(a) FOR c IN ('x', 'y'));
--> 1 | 3
CREATE VIEW v AS FROM t |> SET a = 7 |> DROP b;
SELECT * FROM v ORDER BY c;
--> 7 | x
--> 7 | y
INSERT INTO t FROM t |> SET c = 'new' |> WHERE a = 1;
FROM t |> WHERE c = 'new';
--> 1 | 2 | new
FROM t |> DROP nothing;
--! nothing
FROM t |> SET a = rowid;
--! |>
FROM t |> UNION ALL TABLE t;
--! cannot read this query
CALL lake.set_option('data_inlining_row_limit', 0);
CREATE TABLE f (a INT, b INT);
INSERT INTO f VALUES (1, 2);
FROM f;
--> 1 | 2
FROM f |> SET a = 4;
--> 4 | 2
