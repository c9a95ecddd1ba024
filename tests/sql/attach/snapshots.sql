-- a whole catalog can be attached as it was, to be read
-- backend: sqlite
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
ATTACH '{target}' AS old (CATALOG 'main', SNAPSHOT_VERSION {v2});
SELECT id FROM old.t;
--> 1
SELECT a.id, b.id FROM lake.t a LEFT JOIN old.t b ON a.id = b.id ORDER BY 1;
--> 1 | 1
--> 2 | NULL
INSERT INTO old.t VALUES (3);
--! read-only
DROP TABLE old.t;
--! read-only
ATTACH '{target}' AS bad (CATALOG 'main', SNAPSHOT_VERSION 99);
--! No snapshot found at version 99
ATTACH '{target}' AS bad (CATALOG 'main', SNAPSHOT_TIME '1999-01-01');
--! No snapshot found at timestamp
ATTACH '{target}' AS bad (CATALOG 'main', SNAPSHOT_VERSION 1, SNAPSHOT_TIME '1999-01-01');
--! Cannot specify both VERSION and TIMESTAMP
ATTACH '{target}' AS late (CATALOG 'main', SNAPSHOT_TIME '2999-01-01');
SELECT count(*) FROM late.t;
--> 2
