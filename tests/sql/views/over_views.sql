-- views over views over tables of several schemas, seen from anywhere
-- oracle: yes
CREATE SCHEMA s;
CREATE TABLE s.t (id BIGINT);
CREATE TABLE u (id BIGINT, name VARCHAR);
INSERT INTO s.t VALUES (1), (2);
INSERT INTO u VALUES (1, 'one'), (3, 'three');
CREATE VIEW s.inner_view AS SELECT id * 10 AS ten, id FROM s.t;
CREATE VIEW outer_view AS SELECT ten, name FROM s.inner_view i LEFT JOIN u ON i.id = u.id;
SELECT * FROM outer_view ORDER BY ten;
--> 10 | one
--> 20 | NULL
USE lake.s;
SELECT * FROM main.outer_view ORDER BY ten;
--> 10 | one
--> 20 | NULL
SELECT count(*) FROM lake.main.outer_view o JOIN inner_view USING (ten);
--> 2
CREATE VIEW here AS SELECT id FROM t;
USE lake.main;
SELECT id FROM s.here ORDER BY id;
--> 1
--> 2
DROP TABLE s.t;
SELECT * FROM outer_view;
--! t
