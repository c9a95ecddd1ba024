-- structs and maps are cast part by part, and fields of structs by name
-- dialect: duckdb
-- oracle: yes
-- backend: sqlite
CREATE TABLE t (id INT, s STRUCT(b DOUBLE, a INT), l STRUCT(x INT, y INT)[]);
INSERT INTO t SELECT 1, {'b': 1.5::DOUBLE, 'a': 2}, [{'x': 1, 'y': 2}, NULL];
INSERT INTO t (id) VALUES (2);
SELECT s::STRUCT(a INT, b INT) FROM t ORDER BY id;
--> {a: 2, b: 2}
--> NULL
SELECT s::STRUCT(a VARCHAR, c DATE) FROM t ORDER BY id;
--> {a: 2, c: NULL}
--> NULL
SELECT l::STRUCT(y INT, x VARCHAR)[] FROM t ORDER BY id;
--> [{y: 2, x: 1}, NULL]
--> NULL
SELECT {'a': {'y': 1, 'x': 2}}::STRUCT(a STRUCT(x INT, y INT));
--> {a: {x: 2, y: 1}}
SELECT {'A': 2.5}::STRUCT(a INT), row(1, 2.5)::STRUCT(a INT, b INT), TRY_CAST({'a': 'x', 'b': 1} AS STRUCT(a INT, b INT));
--> {a: 3} | {a: 1, b: 3} | {a: NULL, b: 1}
SELECT TRY_CAST({'a': 1e300} AS STRUCT(a FLOAT)), NULL::STRUCT(a INT);
--> {a: NULL} | NULL
SELECT (MAP {'k': {'b': 1, 'a': 2}}::MAP(VARCHAR, STRUCT(a INT, b INT)))['k'];
--> {a: 2, b: 1}
SELECT {'a': 1e300}::STRUCT(a FLOAT);
--! FLOAT
SELECT {'a': 300}::STRUCT(a UTINYINT);
--! type
SELECT s::STRUCT(q INT) FROM t;
--! STRUCT
