-- everyday SQL of DuckDB users
-- dialect: duckdb
-- oracle: yes
CREATE TABLE t (id INTEGER, name VARCHAR, made TIMESTAMP, tags VARCHAR[]);
INSERT INTO t VALUES (1, 'pen', '2026-01-01 10:00:00', ['a', 'b']), (2, 'ink', NULL, []), (3, NULL, '2026-01-02 00:00:00', NULL);
FROM t SELECT id, name ORDER BY id;
--> 1 | pen
--> 2 | ink
--> 3 | NULL
SELECT * EXCLUDE (made, tags) FROM t ORDER BY name DESC;
--> 1 | pen
--> 2 | ink
--> 3 | NULL
SELECT id / 2, id // 2, id::VARCHAR || '!', tags[1] FROM t WHERE id = 1;
--> 0.5 | 0 | 1! | a
SELECT count(*) AS n, coalesce(name, 'none') AS what FROM t GROUP BY ALL ORDER BY ALL;
--> 1 | ink
--> 1 | none
--> 1 | pen
SELECT true AS g, count(*) AS n, min(id) AS m FROM t WHERE id > 9 GROUP BY ALL;
--> true | 0 | NULL
SELECT 1 + 1 AS g FROM t GROUP BY ALL;
--> 2
--> 2
--> 2
SELECT id AS g, count(*) FROM t WHERE id > 9 GROUP BY ALL;
--> (none)
INSERT INTO t (id, name) FROM (SELECT range AS id, 'r' || range AS name FROM range(10, 12));
UPDATE t SET name = upper(name) WHERE id <= 2;
DELETE FROM t WHERE id >= 10;
SELECT string_agg(name, ',' ORDER BY id) FROM t;
--> PEN,INK
