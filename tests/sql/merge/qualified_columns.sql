-- columns of MERGE may name the schema and the catalog of their table
-- backend: sqlite
CREATE TABLE t (id BIGINT, v STRING);
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE TABLE s (id BIGINT, v STRING);
INSERT INTO s VALUES (1, 'x'), (2, 'y'), (4, 'z');
MERGE INTO main.t USING main.s ON main.t.id = main.s.id
WHEN MATCHED AND lake.main.t.id > 1 AND main.s.v = 'y' THEN UPDATE SET main.t.v = main.t.v || lake.main.s.v
WHEN NOT MATCHED AND main.s.id > 3 THEN INSERT (id, v) VALUES (main.s.id, upper(lake.main.s.v))
WHEN NOT MATCHED BY SOURCE AND main.t.id = 3 THEN DELETE;
SELECT * FROM t ORDER BY id;
--> 1 | a
--> 2 | by
--> 4 | Z
MERGE INTO lake.main.t USING (SELECT 1 AS id) AS n ON lake.main.t.id = n.id WHEN MATCHED AND lake.main.t.id < 2 THEN DELETE;
SELECT count(*) FROM t;
--> 2
MERGE INTO lake.t USING s ON lake.t.id = s.id AND t.id IN (SELECT main.t.id FROM main.t) WHEN MATCHED THEN UPDATE SET v = 'both';
SELECT * FROM t ORDER BY id;
--> 2 | both
--> 4 | both
MERGE INTO main.t AS z USING s ON main.t.id = s.id WHEN MATCHED THEN DELETE;
--! main
UPDATE main.t SET main.t.v = main.t.v || '!' WHERE lake.main.t.id = 2;
DELETE FROM lake.main.t WHERE lake.main.t.id = 4;
SELECT * FROM t;
--> 2 | both!
