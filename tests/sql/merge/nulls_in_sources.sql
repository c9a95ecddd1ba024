-- a source may have columns that are always NULL
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
MERGE INTO t USING (SELECT 2 AS id, NULL AS v) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = coalesce(s.v, 'none') WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v);
--> 1
MERGE INTO t USING (SELECT 1 AS id, NULL AS v) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v;
--> 1
SELECT * FROM t ORDER BY id;
--> 1 | NULL
--> 2 | none
