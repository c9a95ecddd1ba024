-- rows are updated and deleted by conditions that read the table itself
-- oracle: yes
CREATE TABLE t (id BIGINT, item VARCHAR);
INSERT INTO t VALUES (1, 'pen'), (2, 'ink'), (3, NULL);
--> 3
UPDATE t SET item = upper(item) WHERE id < (SELECT max(id) FROM t);
--> 2
DELETE FROM t WHERE id IN (SELECT min(id) FROM t);
--> 1
SELECT id, item FROM t ORDER BY id;
--> 2 | INK
--> 3 | NULL
DELETE FROM t WHERE id = 99;
--> 0
TRUNCATE t;
SELECT count(*) FROM t;
--> 0
