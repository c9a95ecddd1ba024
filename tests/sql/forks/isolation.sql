-- a fork starts with everything, and then both go their own way
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
CREATE VIEW seen AS SELECT id FROM lake.main.t WHERE id > 1;
FORK CATALOG lake AS agent;
ATTACH '{target}' AS agent (CATALOG 'agent'{schema});
UPDATE agent.t SET v = 'changed' WHERE id = 1;
--> 1
INSERT INTO agent.t VALUES (3, 'c');
--> 1
DELETE FROM lake.t WHERE id = 2;
--> 1
SELECT id, v FROM agent.t ORDER BY id;
--> 1 | changed
--> 2 | b
--> 3 | c
SELECT id, v FROM lake.t ORDER BY id;
--> 1 | a
SELECT id FROM agent.seen ORDER BY id;
--> 2
--> 3
SELECT id FROM lake.seen;
--> (none)
DROP CATALOG agent;
SELECT id FROM lake.t;
--> 1
