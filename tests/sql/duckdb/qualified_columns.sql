-- columns of MERGE, UPDATE and DELETE may name the schema and the catalog of their table
-- dialect: duckdb
-- backend: sqlite
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE TABLE s (id BIGINT, v VARCHAR);
INSERT INTO s VALUES (1, 'x'), (2, 'y'), (4, 'z');
MERGE INTO main.t USING main.s ON main.t.id = main.s.id
WHEN MATCHED AND lake.main.t.id > 1 AND main.s.v = 'y' THEN UPDATE SET v = main.t.v || lake.main.s.v
WHEN NOT MATCHED AND main.s.id > 3 THEN INSERT (id, v) VALUES (main.s.id, upper(main.s.v));
SELECT * FROM t ORDER BY id;
--> 1 | a
--> 2 | by
--> 3 | c
--> 4 | Z
UPDATE main.t SET v = main.t.v || '!' WHERE lake.main.t.id = 2;
DELETE FROM lake.main.t WHERE lake.main.t.id <> 2;
SELECT * FROM t;
--> 2 | by!
