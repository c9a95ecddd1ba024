-- every clause of MERGE, with conditions; the first that applies counts
-- backend: sqlite
CREATE TABLE t (id BIGINT, v VARCHAR);
CREATE TABLE s (id BIGINT, v VARCHAR, dead BOOLEAN);
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
INSERT INTO s VALUES (1, 'x', true), (2, 'y', false), (5, 'z', false), (6, 'w', true);
MERGE INTO t USING s ON t.id = s.id
WHEN MATCHED AND s.dead THEN DELETE
WHEN MATCHED THEN UPDATE SET v = concat(t.v, s.v)
WHEN NOT MATCHED AND NOT s.dead THEN INSERT (v, id) VALUES (upper(s.v), s.id)
WHEN NOT MATCHED BY SOURCE AND t.id = 3 THEN UPDATE SET v = 'orphan'
WHEN NOT MATCHED BY SOURCE THEN DELETE;
--> 5
SELECT * FROM t ORDER BY id;
--> 2 | by
--> 3 | orphan
--> 5 | Z
MERGE INTO t USING (SELECT 2 AS id, 'all' AS v UNION ALL SELECT 8, 'new') s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
--> 2
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DO NOTHING;
--> 0
SELECT * FROM t ORDER BY id;
--> 2 | all
--> 3 | orphan
--> 5 | Z
--> 8 | new
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id);
--! INSERT names 2 columns but gives 1 values
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET nothing = 1;
--! nothing
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE RETURNING id;
--! RETURNING
MERGE INTO t USING s ON t.id = s.id;
--! WHEN
