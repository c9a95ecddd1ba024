-- every row has an id and the snapshot it came with, for those who ask
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT INTO t VALUES (3, 'c');
UPDATE t SET v = 'x' WHERE id = 2;
SELECT rowid, id, v FROM t ORDER BY rowid;
--> 0 | 1 | a
--> 1 | 2 | x
--> 2 | 3 | c
SELECT id FROM t WHERE rowid = 2;
--> 3
SELECT rowid, * FROM t WHERE id = 1;
--> 0 | 1 | a
SELECT * FROM t WHERE rowid < 1;
--> 1 | a
SELECT max(x.rowid) FROM t AS x;
--> 2
DELETE FROM t WHERE rowid = 0;
--> 1
