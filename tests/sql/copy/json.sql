-- rows go to JSON files and come back
-- backend: sqlite
CREATE TABLE t (id BIGINT, v VARCHAR, s STRUCT<a: BIGINT>);
INSERT INTO t VALUES (1, '"quoted"', named_struct('a', 1)), (2, 'b', NULL);
COPY t TO '{folder}/out.json';
--> 2
COPY t FROM '{folder}/out.json' (FORMAT json);
--> 2
SELECT * FROM t ORDER BY id;
--> 1 | "quoted" | {a: 1}
--> 1 | "quoted" | {a: 1}
--> 2 | b | NULL
--> 2 | b | NULL
