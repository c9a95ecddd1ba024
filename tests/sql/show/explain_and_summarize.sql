-- plans, and a table in a few numbers
-- backend: sqlite
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, NULL), (3, 'c'), (4, 'a');
EXPLAIN SELECT id FROM t WHERE id = 2;
EXPLAIN EXTENDED SELECT id FROM t;
EXPLAIN SELECT nothing FROM t;
--! nothing
EXPLAIN INSERT INTO t VALUES (1, 'a');
--! EXPLAIN supports only queries
SUMMARIZE t;
--> id | BIGINT | 1 | 4 | 4 | 2.5 | 1.2909944487358056 | 1 | 2 | 3 | 4 | 0.00
--> v | VARCHAR | a | c | 2 | NULL | NULL | NULL | NULL | NULL | 4 | 25.00
SUMMARIZE SELECT id * 1.5 AS x FROM t WHERE id > 1;
--> x | DECIMAL(23,1) | 3.0 | 6.0 | 3 | 4.5 | 1.5 | 3.0 | 4.5 | 6.0 | 3 | 0.00
