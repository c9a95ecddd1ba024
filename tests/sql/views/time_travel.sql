-- a view travels with all tables in it, and may itself look back
-- backend: sqlite
CREATE TABLE t (id BIGINT);
CREATE TABLE u (id BIGINT);
INSERT INTO t VALUES (1);
CREATE VIEW both_ids AS SELECT t.id AS a, u.id AS b FROM t FULL JOIN u ON t.id = u.id;
CREATE VIEW outer_view AS SELECT count(*) AS n FROM both_ids;
INSERT INTO u VALUES (2);
SELECT * FROM both_ids ORDER BY a NULLS LAST;
--> 1 | NULL
--> NULL | 2
SELECT * FROM both_ids AT (VERSION => {v5});
--> 1 | NULL
SELECT n FROM outer_view VERSION AS OF {v5};
--> 1
SELECT n FROM outer_view;
--> 2
SELECT * FROM both_ids AT (VERSION => {v3});
--! does not exist
CREATE VIEW then_view AS SELECT id FROM lake.main.u AT (VERSION => {v5});
SELECT * FROM then_view;
--> (none)
