-- a fork's views and macros read the fork, whatever names they were written with
CREATE SCHEMA s;
CREATE TABLE s.t (id BIGINT);
INSERT INTO s.t VALUES (1);
CREATE MACRO lake.s.tenfold(x) AS x * 10;
CREATE MACRO lake.s.above(n) AS TABLE SELECT id FROM lake.s.t WHERE id > n;
CREATE VIEW full_names AS SELECT lake.s.t.id, lake.s.tenfold(id) AS ten FROM lake.s.t;
CREATE VIEW through_macro AS SELECT id FROM lake.s.above(0);
FORK CATALOG lake AS agent;
ATTACH '{target}' AS mine (CATALOG 'agent'{schema});
INSERT INTO mine.s.t VALUES (2);
SELECT * FROM mine.full_names ORDER BY id;
--> 1 | 10
--> 2 | 20
SELECT * FROM mine.through_macro ORDER BY id;
--> 1
--> 2
SELECT * FROM lake.full_names;
--> 1 | 10
SELECT id FROM mine.s.above(1);
--> 2
CREATE OR REPLACE MACRO mine.s.tenfold(x) AS x * 100;
SELECT ten FROM mine.full_names ORDER BY id;
--> 100
--> 200
SELECT ten FROM lake.full_names;
--> 10
