-- a fork sees the past of its parent up to where it began
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
FORK CATALOG lake AS early AT (VERSION => {v2});
ATTACH '{target}' AS early (CATALOG 'early'{schema});
SELECT id FROM early.t;
--> 1
SELECT count(*) FROM early.t AT (VERSION => {v1});
--> 0
INSERT INTO early.t VALUES (9);
SELECT id FROM lake.t ORDER BY id;
--> 1
--> 2
SELECT id FROM early.t ORDER BY id;
--> 1
--> 9
