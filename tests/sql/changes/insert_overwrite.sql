-- INSERT OVERWRITE puts the new rows in place of the old ones
-- backend: sqlite
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT OVERWRITE t VALUES (3, 'c');
--> 1
INSERT OVERWRITE INTO t SELECT id + 1, v FROM t;
--> 1
INSERT OVERWRITE TABLE t (id) VALUES (5);
SELECT * FROM t;
--> 5 | NULL
SELECT count(*) FROM t AT (VERSION => {v2});
--> 2
