-- a source may have any column, whatever MERGE calls its own
CREATE TABLE t (id BIGINT, number BIGINT);
INSERT INTO t VALUES (1, 10);
MERGE INTO t USING (SELECT * FROM VALUES (1, 11), (2, 22) AS v(id, number)) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET number = s.number WHEN NOT MATCHED THEN INSERT (id, number) VALUES (s.id, s.number);
SELECT id, number FROM t ORDER BY id;
--> 1 | 11
--> 2 | 22
