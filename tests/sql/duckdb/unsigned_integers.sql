-- integers without a sign, and those of 128 bits, are computed with as DuckDB does it
-- dialect: duckdb
-- backend: sqlite
CREATE TABLE t (id INT, a UTINYINT, b UTINYINT, u UBIGINT, h HUGEINT);
INSERT INTO t VALUES (1, 200, 50, 18446744073709551615, 12345678901234567890123), (2, 3, 5, 7, -7);
SELECT id, u // 2, h // 2, u % 10, h % 10 FROM t ORDER BY id;
--> 1 | 9223372036854775807 | 6172839450617283945061 | 5 | 3
--> 2 | 3 | -3 | 7 | -7
SELECT a + b, a & b, a - 1 FROM t ORDER BY id;
--> 250 | 0 | 199
--> 8 | 1 | 2
SELECT a + 100 FROM t WHERE id = 1;
--! no room in its type: UTINYINT
SELECT a - b FROM t WHERE id = 2;
--! no room in its type: UTINYINT
SELECT CAST(id - 2 AS UTINYINT) FROM t;
--! no room in its type: UTINYINT
SELECT TRY_CAST(id - 2 AS UTINYINT) AS c FROM t ORDER BY id;
--> NULL
--> 0
SELECT -a FROM t;
--! Negation of an unsigned integer
