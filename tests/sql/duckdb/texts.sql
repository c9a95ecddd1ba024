-- texts are read and written as DuckDB does it, in changes as in queries
-- dialect: duckdb
-- oracle: yes
-- backend: sqlite
CREATE TABLE t (id INT, v VARCHAR, n DECIMAL(9,2), f FLOAT, l INT[]);
INSERT INTO t VALUES (1, 'ab', 1.5, 0.1, [4, 5]), (2, 'cd', 2.5, 1.5, [6]), (3, ' 7', 3.5, 2.5, []);
SELECT id FROM t WHERE n = '1.501' OR f = 2.5 ORDER BY id;
--> 1
--> 3
SELECT id FROM t WHERE f = 0.1;
--> 1
DELETE FROM t WHERE id = ' 2 ';
--> 1
MERGE INTO t AS a USING (SELECT * FROM t) AS b ON a.id = b.id
WHEN MATCHED AND b.n = '1.501' THEN UPDATE SET v = b.v[1] || b.f, n = b.l[1];
UPDATE t SET id = v::INT + 1, v = 1e20::VARCHAR WHERE id = 3;
--> 1
SELECT id, v, n FROM t ORDER BY id;
--> 1 | a0.1 | 4.00
--> 8 | 1e+20 | 3.50
