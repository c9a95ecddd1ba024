-- rows are updated with values of other tables
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR, n INTEGER);
CREATE TABLE s (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, NULL, 3);
INSERT INTO s VALUES (2, 'two'), (3, 'three'), (4, 'four');
UPDATE t SET v = s.v, n = t.n * 10 FROM s WHERE t.id = s.id;
--> 2
SELECT * FROM t ORDER BY id;
--> 1 | a | 1
--> 2 | two | 20
--> 3 | three | 30
UPDATE t AS x SET n = y.total FROM (SELECT count(*) AS total FROM s) AS y WHERE x.id = 1;
--> 1
UPDATE t SET n = n + 1;
--> 3
SELECT id, n FROM t ORDER BY id;
--> 1 | 4
--> 2 | 21
--> 3 | 31
UPDATE t SET nothing = 1;
--! nothing
UPDATE t SET n = 1, n = 2;
--! 
UPDATE t SET n = 1 WHERE id = 99;
--> 0
