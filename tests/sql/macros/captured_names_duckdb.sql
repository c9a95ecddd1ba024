-- an argument is never taken for a name inside a macro, in the dialect duckdb
-- dialect: duckdb
CREATE MACRO add_to_all(v) AS list_transform([1, 2], lambda y : y + v);
SELECT add_to_all(w.y), add_to_all(k) FROM (SELECT 10 AS y, 20 AS k) AS w;
--> [11, 12] | [21, 22]
SELECT add_to_all(y) FROM (SELECT 10 AS y) AS w;
--! could be taken for
CREATE MACRO comprehended(v) AS [y + v for y in [1, 2]];
SELECT comprehended(w.y) FROM (SELECT 10 AS y) AS w;
--> [11, 12]
SELECT comprehended(y) FROM (SELECT 10 AS y) AS w;
--! could be taken for
CREATE MACRO hidden(v) AS [v for v in [1, 2]];
SELECT hidden(100);
--! the same name as its parameter
CREATE MACRO of_values(v) AS (SELECT max(v) FROM (VALUES (1), (2)));
SELECT of_values(col0) FROM (SELECT 100 AS col0) AS w;
--! could be taken for
CREATE MACRO of_list(v) AS (SELECT max(v) FROM unnest([1, 2]));
SELECT of_list("unnest") FROM (SELECT 100 AS "unnest") AS w;
--! could be taken for
CREATE MACRO of_range(v) AS (SELECT max(v) FROM range(3));
SELECT of_range("range") FROM (SELECT 100 AS "range") AS w;
--! could be taken for
