-- rows go to CSV files and come back
-- backend: sqlite
CREATE TABLE t (id BIGINT, v VARCHAR, d DATE, n DOUBLE);
INSERT INTO t VALUES (1, 'a,b "c"', DATE '2026-01-31', 0.5), (2, NULL, NULL, NULL);
COPY t TO '{folder}/out.csv' (HEADER true);
--> 2
COPY t FROM '{folder}/out.csv';
--> 2
SELECT * FROM t ORDER BY id;
--> 1 | a,b "c" | 2026-01-31 | 0.5
--> 1 | a,b "c" | 2026-01-31 | 0.5
--> 2 | NULL | NULL | NULL
--> 2 | NULL | NULL | NULL
COPY t TO '{folder}/semi.csv' (HEADER false, DELIMITER ';', NULL 'none');
--> 4
TRUNCATE t;
COPY t FROM '{folder}/semi.csv' (HEADER false, DELIMITER ';', NULL 'none');
--> 4
SELECT count(*), count(v), sum(id) FROM t;
--> 4 | 2 | 6
CREATE TABLE numbers (id INT);
COPY (SELECT 'x' AS id) TO '{folder}/bad.csv';
--> 1
COPY numbers FROM '{folder}/bad.csv';
--! Column id of type INTEGER cannot hold 'x' (in
COPY t TO '{folder}/x.csv' (COLOUR 'red');
--! COPY has no option COLOUR
