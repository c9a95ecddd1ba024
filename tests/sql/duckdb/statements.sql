-- DuckDB's own ways to say it
-- dialect: duckdb
-- oracle: yes
CREATE TABLE t AS SELECT range AS id, 'v' || range AS v FROM range(5);
--> 5
FROM t WHERE id > 3;
--> 4 | v4
INSERT INTO t FROM t SELECT id + 10, v WHERE id < 2;
--> 2
SELECT * EXCLUDE (v) FROM t ORDER BY ALL LIMIT 2;
--> 0
--> 1
SELECT * REPLACE (upper(v) AS v) FROM t WHERE id = 1;
--> 1 | V1
SELECT id::VARCHAR || '!' FROM t WHERE v ILIKE 'V1' ORDER BY 1;
--> 1!
--> 11!
UPDATE t SET v = "v" || '"' WHERE id // 2 = 1;
--> 2
SELECT v FROM t WHERE id IN (2, 3) ORDER BY id;
--> v2"
--> v3"
SELECT id % 2 AS odd, count(*) FROM t GROUP BY ALL ORDER BY ALL;
--> 0 | 4
--> 1 | 3
CREATE TABLE "odd ""name" ("a b" INTEGER, "select" VARCHAR);
INSERT INTO "odd ""name" ("select", "a b") VALUES ('x', 1);
SELECT "a b", "select" FROM "odd ""name";
--> 1 | x
MERGE INTO t USING (SELECT 1 AS id, 'm' AS w) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.w;
--> 1
DELETE FROM t WHERE v = 'm';
--> 1
