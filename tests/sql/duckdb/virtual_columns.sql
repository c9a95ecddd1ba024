-- virtual columns are there for those who name them, and nowhere else
-- dialect: duckdb
-- oracle: yes
-- backend: sqlite
CREATE TABLE t (id BIGINT, s VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
CREATE TABLE u (id BIGINT, x VARCHAR);
INSERT INTO u VALUES (1, 'c'), (2, 'd');
SELECT * FROM t WHERE rowid = 0 AND id IN (SELECT id FROM u WHERE rowid = 0);
--> 1 | a
SELECT * FROM (SELECT * FROM t WHERE rowid = 1) AS q;
--> 2 | b
SELECT t.*, u.* FROM t JOIN u ON t.rowid = u.rowid ORDER BY t.rowid;
--> 1 | a | 1 | c
--> 2 | b | 2 | d
SELECT t.rowid, u.rowid, * FROM t JOIN u USING (id) ORDER BY t.rowid;
--> 0 | 0 | 1 | a | c
--> 1 | 1 | 2 | b | d
SELECT * FROM t NATURAL JOIN u WHERE t.rowid = 1;
--> 2 | b | d
SELECT rowid FROM t, u;
--! mbiguous
SELECT rowid FROM t, (SELECT 7 AS rowid) AS q;
--! mbiguous
SELECT rowid FROM (SELECT * FROM t) AS q;
--! rowid
WITH c AS (SELECT * FROM t WHERE rowid >= 0) SELECT rowid FROM c;
--! rowid
WITH c AS (SELECT rowid AS r, * FROM t) SELECT * FROM c ORDER BY r;
--> 0 | 1 | a
--> 1 | 2 | b
SELECT id AS rowid FROM t WHERE rowid = 1;
--> 2
SELECT id + 10 AS rowid FROM t ORDER BY rowid DESC;
--> 12
--> 11
SELECT z.rowid, a FROM t AS z(a, b) ORDER BY z.rowid;
--> 0 | 1
--> 1 | 2
SELECT rowid FROM t AS z(a, rowid) ORDER BY a;
--> a
--> b
SELECT COLUMNS(*), rowid FROM t ORDER BY rowid;
--> 1 | a | 0
--> 2 | b | 1
SELECT * EXCLUDE (s), rowid FROM t ORDER BY rowid;
--> 1 | 0
--> 2 | 1
SELECT * EXCLUDE (rowid) FROM t;
--! rowid
SELECT * REPLACE (rowid AS id) FROM t ORDER BY rowid;
--> 0 | a
--> 1 | b
SELECT * FROM t WHERE rowid = 0 UNION ALL SELECT * FROM u WHERE rowid = 1 ORDER BY id;
--> 1 | a
--> 2 | d
SELECT (SELECT max(rowid) FROM u WHERE u.rowid = t.rowid) FROM t ORDER BY t.rowid;
--> 0
--> 1
SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = rowid);
--> 0
SELECT * FROM t SEMI JOIN u ON t.rowid = u.rowid AND u.rowid = 1;
--> 2 | b
SELECT 'rowid' AS v, * FROM t WHERE id = 1 /* rowid */;
--> rowid | 1 | a
SELECT 'rowid', count(*) FROM (SELECT DISTINCT * FROM t WHERE rowid < 5) AS q;
--> rowid | 2
CREATE VIEW v AS SELECT * FROM t WHERE rowid = 1;
SELECT * FROM v;
--> 2 | b
SELECT rowid FROM v;
--! rowid
CREATE TABLE c AS SELECT * FROM t WHERE rowid IN (SELECT rowid FROM u);
SELECT * FROM c ORDER BY id;
--> 1 | a
--> 2 | b
INSERT INTO c SELECT * FROM t WHERE rowid = 0;
SELECT count(*) FROM c;
--> 3
UPDATE t SET s = u.x FROM u WHERE t.rowid = u.rowid AND u.rowid = 0;
DELETE FROM t USING u WHERE t.rowid = u.rowid AND t.rowid = 1;
SELECT * FROM t;
--> 1 | c
UPDATE t SET rowid = 5;
--! rowid
CREATE TABLE own (RowId INTEGER, snapshot_id VARCHAR, filename DATE, b INTEGER);
INSERT INTO own VALUES (70, 's', DATE '2024-01-02', 1);
SELECT *, rowid, own.ROWID FROM own WHERE rowid = 70 AND snapshot_id = 's';
--> 70 | s | 2024-01-02 | 1 | 70 | 70
SELECT rowid FROM own, t;
--! mbiguous
SELECT own.*, t.rowid FROM own, t WHERE t.rowid = 0;
--> 70 | s | 2024-01-02 | 1 | 0
