-- the alias of a source may rename its columns
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
MERGE INTO t USING (VALUES (2, 'B'), (3, 'C')) AS s(key, text) ON t.id = s.key
WHEN MATCHED THEN UPDATE SET v = concat(s.text, s.text)
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.key, s.text);
--> 2
MERGE INTO t USING (VALUES (1, 'x')) AS s(key, text) ON t.id = s.key WHEN MATCHED THEN UPDATE SET v = s.text;
--> 1
SELECT * FROM t ORDER BY id;
--> 1 | x
--> 2 | BB
--> 3 | C
