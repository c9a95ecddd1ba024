-- clauses without values take the columns of the source in their order, unless BY NAME is written
-- dialect: duckdb
-- oracle: yes
CREATE TABLE t (id BIGINT, x BIGINT, y BIGINT);
CREATE TABLE s (id BIGINT, y BIGINT, x BIGINT);
INSERT INTO t VALUES (1, 10, 20);
INSERT INTO s VALUES (1, 111, 222), (7, 70, 71);
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
--> 2
SELECT * FROM t ORDER BY id;
--> 1 | 111 | 222
--> 7 | 70 | 71
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE BY NAME;
--> 2
SELECT * FROM t ORDER BY id;
--> 1 | 222 | 111
--> 7 | 71 | 70
MERGE INTO t USING (SELECT id + 1 AS id, abs(y) AS y, x FROM s) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE WHEN NOT MATCHED THEN INSERT BY POSITION;
--> 2
SELECT * FROM t ORDER BY id;
--> 1 | 222 | 111
--> 2 | 111 | 222
--> 7 | 71 | 70
--> 8 | 70 | 71
MERGE INTO t USING (SELECT 9 AS id, 90 AS y, 91 AS x) AS s ON t.id = s.id WHEN NOT MATCHED THEN INSERT BY NAME *;
--> 1
MERGE INTO t USING (SELECT 9 AS id, 5 AS y) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *;
--! 3 columns but
MERGE INTO t USING (SELECT 10 AS id, 5 AS y) AS s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *;
--! table t has 3 columns but 2 values were supplied
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET x = 1, X = 2;
--! Column 'X' is set twice
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET x = 1;
--! only the last one may be without a condition
SELECT * FROM t WHERE id = 9;
--> 9 | 91 | 90
