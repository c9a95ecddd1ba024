-- the same in the dialect of DuckDB
-- dialect: duckdb
CREATE TABLE t (k BIGINT, b BOOLEAN, v VARCHAR);
INSERT INTO t VALUES (1, NULL, 'a'), (2, NULL, 'b'), (3, NULL, 'c');
UPDATE t AS a SET v = upper(a.v), b = a.k IS NOT DISTINCT FROM 1 WHERE a.k < 3;
UPDATE t SET b = CASE WHEN k = 3 THEN k IS DISTINCT FROM 3 ELSE b END, v = v WHERE k IS DISTINCT FROM 2;
SELECT k, b, v FROM t ORDER BY k;
--> 1 | true | A
--> 2 | false | B
--> 3 | false | c
MERGE INTO t AS a USING (SELECT * FROM t) AS b ON a.k = b.k
    WHEN MATCHED AND CASE WHEN b.k = 1 THEN true ELSE CASE b.v WHEN 'B' THEN true ELSE false END END THEN DELETE
    WHEN MATCHED THEN UPDATE SET v = CASE WHEN b.k = 3 THEN 'z' END, b = b.k IS DISTINCT FROM a.k;
SELECT k, b, v FROM t;
--> 3 | false | z
