-- a path into a struct is not a column of a table whose schema is named like it
-- backend: sqlite
CREATE TABLE t (id INT, main STRUCT<t: STRUCT<x: INT, id: INT>, id: INT>, lake STRUCT<t: STRUCT<x: INT>>);
INSERT INTO t SELECT 1, named_struct('t', named_struct('x', 10, 'id', 11), 'id', 12), named_struct('t', named_struct('x', 20));
CREATE TABLE u (id INT, main STRUCT<t: STRUCT<x: INT>>);
INSERT INTO u SELECT 5, named_struct('t', named_struct('x', 50));
SELECT main.t.x, lake.t.x, main.t.id, lake.main.t.id, main.t.main.t.x, main.id FROM main.t;
--> 10 | 20 | 1 | 1 | 10 | 12
SELECT main.t.id FROM main.t WHERE main.t.id = 11;
--> (none)
SELECT main.t.id FROM main.t AS z WHERE main.t.id = 11;
--> 11
SELECT main.t.x FROM main.u WHERE EXISTS (SELECT 1 FROM main.t);
--> 50
SELECT (SELECT max(main.t.x) FROM main.u) FROM main.t;
--> 50
SELECT main.u.id, main.t.id FROM main.u JOIN main.t ON main.u.id <> main.t.id;
--> 5 | 1
SELECT count(*) FROM (SELECT main.t.* FROM main.t);
--> 1
SELECT main.t.rowid FROM main.t;
--> 0
CREATE VIEW v AS SELECT main.t.x, main.t.id FROM main.t;
SELECT * FROM v;
--> 10 | 1
SELECT main.v.x FROM v;
--> 10
CALL lake.set_option('data_inlining_row_limit', 0);
CREATE SCHEMA q;
CREATE TABLE q.s (f INT);
INSERT INTO q.s VALUES (1);
CREATE TABLE x (s STRUCT<f: INT>, k INT);
INSERT INTO x SELECT named_struct('f', 7), 1;
SELECT q.k FROM x AS q JOIN q.s ON true WHERE q.s.f = 1;
--> 1
