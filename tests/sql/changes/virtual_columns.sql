-- rows are changed by where they are
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (10, 'a'), (20, 'b'), (30, 'c');
UPDATE t SET v = concat(v, cast(rowid AS STRING)) WHERE rowid = 1;
--> 1
DELETE FROM t WHERE rowid = 0;
--> 1
SELECT rowid, id, v FROM t ORDER BY id;
--> 1 | 20 | b1
--> 2 | 30 | c
SELECT rowid, * FROM t WHERE id = 30;
--> 2 | 30 | c
