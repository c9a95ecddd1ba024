-- fields of structs keep their table, also where it is joined with itself
-- backend: sqlite
CREATE TABLE t (id BIGINT, place STRUCT<city: STRING, at: STRUCT<x: INT>>);
INSERT INTO t VALUES (1, named_struct('city', 'Rome', 'at', named_struct('x', 1))), (2, named_struct('city', 'Oslo', 'at', NULL));
SELECT a.place.city, b.place.city, a.place.at.x FROM t a JOIN t b ON a.id = b.id - 1;
--> Rome | Oslo | 1
SELECT t.place.city, lake.main.t.place.at.x FROM lake.main.t ORDER BY t.id;
--> Rome | 1
--> Oslo | NULL
SELECT place.* FROM t WHERE place.city = 'Oslo';
--> Oslo | NULL
