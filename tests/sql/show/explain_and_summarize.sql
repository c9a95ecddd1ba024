-- plans, and a table in a few numbers
-- backend: sqlite
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, NULL), (3, 'c'), (4, 'a');
EXPLAIN SELECT id FROM t WHERE id = 2;
EXPLAIN EXTENDED SELECT id FROM t;
EXPLAIN SELECT nothing FROM t;
--! nothing
EXPLAIN INSERT INTO t VALUES (1, 'a');
--! EXPLAIN supports queries, and without a mode also UPDATE, DELETE and MERGE
EXPLAIN EXTENDED DELETE FROM t WHERE id = 1;
--! EXPLAIN supports queries, and without a mode also UPDATE, DELETE and MERGE
EXPLAIN DELETE FROM t WHERE id = 1;
EXPLAIN DELETE FROM t WHERE upper(v) = 'A';
--> Spark, because its WHERE has expressions that only Spark evaluates
EXPLAIN DELETE FROM t;
--> Metadata: all rows of t at version 3 are deleted unread
EXPLAIN UPDATE t SET id = id + 1 WHERE v = 'a';
EXPLAIN UPDATE t SET id = abs(id);
--> Spark, because it has expressions that only Spark evaluates
EXPLAIN UPDATE t SET nothing = 1;
--! nothing
EXPLAIN MERGE INTO t USING (VALUES (1, 'b')) AS s(id, v) ON t.id = s.id WHEN MATCHED THEN DELETE;
EXPLAIN MERGE INTO t USING (VALUES (1, 'b')) AS s(id, v) ON t.id > s.id WHEN MATCHED THEN DELETE;
--> Spark, because its condition does not equate columns of the table and of the source
SELECT count(*), sum(id) FROM t;
--> 4 | 10
SUMMARIZE t;
--> id | BIGINT | 1 | 4 | 4 | 2.5 | 1.2909944487358056 | 1 | 2 | 3 | 4 | 0.00
--> v | VARCHAR | a | c | 2 | NULL | NULL | NULL | NULL | NULL | 4 | 25.00
SUMMARIZE SELECT id * 1.5 AS x FROM t WHERE id > 1;
--> x | DECIMAL(23,1) | 3.0 | 6.0 | 3 | 4.5 | 1.5 | 3.0 | 4.5 | 6.0 | 3 | 0.00
