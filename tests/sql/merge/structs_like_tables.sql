-- columns of MERGE may be structs that are named like their table or its schema
-- backend: sqlite
CREATE TABLE t (id INT, t STRUCT<id: INT, x: INT>, main STRUCT<t: STRUCT<id: INT, x: INT>>);
INSERT INTO t SELECT 1, named_struct('id', 10, 'x', 11), named_struct('t', named_struct('id', 20, 'x', 21));
CREATE TABLE s (id INT, n INT);
INSERT INTO s VALUES (1, 21);
MERGE INTO main.t USING main.s ON main.t.id = main.s.id AND main.t.x = main.s.n WHEN MATCHED AND main.t.t.x = 11 THEN UPDATE SET id = main.t.main.t.x + 1;
SELECT id FROM t;
--> 22
UPDATE main.t SET id = main.t.x WHERE main.t.id = 22;
SELECT id FROM t;
--> 21
DELETE FROM lake.main.t WHERE lake.main.t.id = 21 AND main.t.x = 21;
SELECT count(*) FROM t;
--> 0
