-- MERGE updates what matches and inserts the rest
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR, n INTEGER DEFAULT 5);
CREATE TABLE s (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
INSERT INTO s VALUES (2, 'new'), (3, 'three');
MERGE INTO t USING s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v, n = t.n + 1
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v);
--> 2
SELECT * FROM t ORDER BY id;
--> 1 | a | 1
--> 2 | new | 3
--> 3 | three | 5
MERGE INTO t AS x USING (SELECT 1 AS id, 'late' AS v, 7 AS n UNION ALL SELECT 9, 'nine', 9) AS y ON (x.id = y.id)
WHEN MATCHED THEN UPDATE SET v = y.v
WHEN NOT MATCHED THEN INSERT VALUES (y.id, y.v, y.n);
--> 2
SELECT * FROM t ORDER BY id;
--> 1 | late | 1
--> 2 | new | 3
--> 3 | three | 5
--> 9 | nine | 9
MERGE INTO t USING s USING (id) WHEN MATCHED THEN DELETE;
--> 2
SELECT id FROM t ORDER BY id;
--> 1
--> 9
