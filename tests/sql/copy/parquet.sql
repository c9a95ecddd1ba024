-- rows go to Parquet files and come back
-- backend: sqlite
CREATE TABLE t (id BIGINT, v VARCHAR, d DATE);
INSERT INTO t VALUES (1, 'a', DATE '2026-01-31'), (2, NULL, NULL);
COPY t TO '{folder}/out.parquet';
--> 2
COPY t TO '{folder}/out.parquet';
--! already exists
COPY t TO '{folder}/out.parquet' (OVERWRITE true);
--> 2
COPY (SELECT id + 10 AS id, v FROM t) TO '{folder}/more' (FORMAT parquet);
--> 2
COPY t FROM '{folder}/out.parquet';
--> 2
COPY t FROM '{folder}/more' (FORMAT parquet);
--> 2
SELECT * FROM t ORDER BY id, v;
--> 1 | a | 2026-01-31
--> 1 | a | 2026-01-31
--> 2 | NULL | NULL
--> 2 | NULL | NULL
--> 11 | a | NULL
--> 12 | NULL | NULL
COPY t (v, id) TO '{folder}/part.parquet';
--> 6
COPY t FROM '{folder}/nothing.parquet';
--! nothing.parquet
COPY t TO '{folder}/out.orc';
--! COPY supports the formats parquet, csv, json
COPY (SELECT 1) FROM '{folder}/out.parquet';
--! COPY FROM needs a table, not a query
