-- virtual columns are there for those who name them, and nowhere else
-- backend: sqlite
CREATE TABLE t (id BIGINT, s STRING);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
CREATE TABLE u (id BIGINT, x STRING);
INSERT INTO u VALUES (1, 'c'), (2, 'd');
SELECT * FROM t WHERE rowid = 0 AND id IN (SELECT id FROM u WHERE rowid = 0);
--> 1 | a
SELECT * FROM (SELECT * FROM t WHERE rowid = 1) AS q;
--> 2 | b
SELECT t.*, u.* FROM t JOIN u ON t.rowid = u.rowid ORDER BY t.rowid;
--> 1 | a | 1 | c
--> 2 | b | 2 | d
SELECT *, u.rowid FROM t LEFT JOIN u ON t.rowid = u.rowid AND u.rowid = 1 ORDER BY t.id;
--> 1 | a | NULL | NULL | NULL
--> 2 | b | 2 | d | 1
SELECT t.rowid, u.rowid, * FROM t JOIN u USING (id) ORDER BY t.rowid;
--> 0 | 0 | 1 | a | c
--> 1 | 1 | 2 | b | d
SELECT * FROM t NATURAL JOIN u WHERE t.rowid = 1;
--> 2 | b | d
SELECT t.rowid FROM t NATURAL JOIN u WHERE u.rowid = 1;
--! write USING
SELECT t.rowid FROM t NATURAL JOIN (SELECT 1L AS id, 5L AS rowid) AS q;
--! write USING
SELECT t.rowid FROM t JOIN u USING (rowid);
--! write ON
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
SELECT rowid, count(*) FROM t GROUP BY ALL ORDER BY rowid;
--> 0 | 1
--> 1 | 1
SELECT z.rowid, a, z.* FROM t AS z(a, b) ORDER BY z.rowid;
--> 0 | 1 | 1 | a
--> 1 | 2 | 2 | b
SELECT z.rowid FROM t AS z(a);
--! has to name all columns
SELECT rowid FROM t AS z(a, rowid) ORDER BY a;
--> a
--> b
SELECT * EXCEPT (s), rowid FROM t ORDER BY rowid;
--> 1 | 0
--> 2 | 1
SELECT t.* EXCEPT (s), u.* EXCEPT (u.id) FROM t JOIN u ON t.rowid = u.rowid ORDER BY t.rowid;
--> 1 | c
--> 2 | d
SELECT * EXCEPT (rowid) FROM t;
--! rowid
SELECT to_json(struct(*)), to_json(struct(t.*)), count(t.*) OVER (), count(*) OVER () FROM t WHERE rowid = 0;
--> {"id":1,"s":"a"} | {"id":1,"s":"a"} | 1 | 1
SELECT count(DISTINCT *), count(*) FROM t WHERE rowid < 9;
--> 2 | 2
SELECT * FROM t WHERE rowid = 0 UNION ALL SELECT * FROM u WHERE rowid = 1 ORDER BY id;
--> 1 | a
--> 2 | d
SELECT * FROM t WHERE rowid = 0 INTERSECT SELECT * FROM t;
--> 1 | a
SELECT (SELECT max(rowid) FROM u WHERE u.rowid = t.rowid) FROM t ORDER BY t.rowid;
--> 0
--> 1
SELECT to_json((SELECT struct(t.*))) FROM t WHERE rowid = 1;
--> {"id":2,"s":"b"}
SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = rowid);
--> 0
SELECT * FROM t LEFT SEMI JOIN u ON t.rowid = u.rowid AND u.rowid = 1;
--> 2 | b
SELECT * FROM t, LATERAL (SELECT t.rowid AS r) AS q ORDER BY r;
--> 1 | a | 0
--> 2 | b | 1
SELECT *, t.rowid FROM t LATERAL VIEW explode(array(5)) v AS rowid ORDER BY t.rowid;
--> 1 | a | 5 | 0
--> 2 | b | 5 | 1
SELECT * FROM t PIVOT (max(rowid) FOR s IN ('a', 'b'));
--! pivots
SELECT * FROM (SELECT id, s, rowid AS r FROM t) PIVOT (max(r) FOR s IN ('a', 'b')) ORDER BY id;
--> 1 | 0 | NULL
--> 2 | NULL | 1
SELECT j.x FROM (t JOIN u ON t.id = u.id) AS j WHERE rowid = 0;
--! rowid
FROM t |> WHERE rowid = 1 |> SELECT *;
--! |>
SELECT 'rowid' AS v, * FROM t WHERE id = 1 /* rowid */;
--> rowid | 1 | a
SELECT count(*) FROM (SELECT DISTINCT * FROM t WHERE rowid < 5) AS q;
--> 2
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
UPDATE t SET s = to_json(struct(*)) WHERE rowid = 0;
UPDATE t SET s = u.x FROM u WHERE t.rowid = u.rowid AND u.rowid = 1;
SELECT *, rowid FROM t ORDER BY rowid;
--> 1 | {"id":1,"s":"a"} | 0
--> 2 | d | 1
DELETE FROM t WHERE to_json(struct(t.*)) = '{"id":2,"s":"d"}';
--> 1
DELETE FROM t USING u WHERE t.rowid = u.rowid AND to_json(struct(u.*)) = '{"id":1,"x":"c"}';
--> 1
UPDATE t SET rowid = 5;
--! rowid
CREATE TABLE own (RowId INT, snapshot_id STRING, filename DATE, b INT);
INSERT INTO own VALUES (70, 's', DATE '2024-01-02', 1);
SELECT *, rowid, own.ROWID FROM own WHERE rowid = 70 AND snapshot_id = 's';
--> 70 | s | 2024-01-02 | 1 | 70 | 70
SELECT rowid FROM own, u;
--! mbiguous
SELECT own.*, u.rowid FROM own, u WHERE u.rowid = 0;
--> 70 | s | 2024-01-02 | 1 | 0
UPDATE own SET b = rowid WHERE rowid = 70;
SELECT file_row_number, * FROM own;
--> 0 | 70 | s | 2024-01-02 | 70
