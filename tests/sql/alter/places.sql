-- columns are put first or behind another, and several alterations are one statement
-- backend: sqlite
CREATE TABLE t (a BIGINT, b BIGINT);
INSERT INTO t VALUES (1, 2);
ALTER TABLE t ADD COLUMN c BIGINT FIRST;
ALTER TABLE t ADD COLUMN d BIGINT AFTER a;
SELECT * FROM t;
--> NULL | 1 | NULL | 2
ALTER TABLE t ALTER COLUMN b FIRST;
ALTER TABLE t ALTER COLUMN c AFTER d;
SELECT * FROM t;
--> 2 | 1 | NULL | NULL
ALTER TABLE t ADD COLUMNS (e STRING COMMENT 'five', f DOUBLE);
ALTER TABLE t DROP COLUMNS (c, d);
ALTER TABLE t ADD COLUMN g INT, RENAME COLUMN a TO aa, RENAME TO u;
SELECT * FROM u;
--> 2 | 1 | NULL | NULL | NULL
SELECT count(*) FROM lake.snapshots();
--> 10
