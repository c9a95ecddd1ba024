-- macros of tables, used like tables
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE MACRO since(first) AS TABLE SELECT * FROM t WHERE id >= first;
SELECT * FROM since(2) ORDER BY id;
--> 2 | b
--> 3 | c
SELECT x.id, y.v FROM since(3) x JOIN since(1) AS y ON y.id = x.id - 1;
--> 3 | b
CREATE VIEW late AS SELECT id FROM since(3);
SELECT * FROM late;
--> 3
CREATE MACRO chosen(a, b := 'b') AS TABLE SELECT id FROM t WHERE v IN (a, b);
SELECT id FROM chosen('a') ORDER BY id;
--> 1
--> 2
SELECT id FROM chosen('a', b := 'c') ORDER BY id;
--> 1
--> 3
INSERT INTO t SELECT id + 10, v FROM since(3);
--> 1
CREATE MACRO since(x) AS x + 1;
SELECT since(1);
--> 2
DROP MACRO TABLE since;
SELECT * FROM since(1);
--! since
SELECT since(1);
--> 2
