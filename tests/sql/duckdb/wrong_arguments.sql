-- functions with too few or too many arguments, and positions that SELECT does not have
-- dialect: duckdb
-- backend: sqlite
CREATE TABLE t (a INTEGER, b INTEGER);
INSERT INTO t VALUES (1, 2);
SELECT list_slice([1], 1) FROM t;
--! argument
SELECT prefix('a') FROM t;
--! argument
SELECT list_position([1]) FROM t;
--! argument
SELECT date_part('year') FROM t;
--! argument
SELECT list_aggregate([1]) FROM t;
--! argument
SELECT DISTINCT ON (5) a FROM t;
--! no column 5
SELECT DISTINCT ON (0) a FROM t;
--! no column 0
SELECT DISTINCT ON (a) a, b FROM t ORDER BY 7;
--! no column 7
SELECT DISTINCT ON (1) a, b FROM t ORDER BY 2;
--> 1 | 2
