-- zeros of either sign are equal, whoever wrote the file
-- backend: sqlite
CREATE TABLE t (k INT, f DOUBLE, g FLOAT, l ARRAY<INT>);
INSERT INTO t SELECT 1, -0.0D, CAST(-0.0D AS FLOAT), array(1);
INSERT INTO t SELECT 2, 0.0D, CAST(0.0D AS FLOAT), array(1);
INSERT INTO t SELECT 3, 1.0D, CAST(1.0D AS FLOAT), array(1);
SELECT k FROM t WHERE f = 0 ORDER BY k;
--> 1
--> 2
SELECT k FROM t WHERE g = -0.0D ORDER BY k;
--> 1
--> 2
SELECT k FROM t WHERE f >= 0 ORDER BY k;
--> 1
--> 2
--> 3
DELETE FROM t WHERE f = 0;
SELECT k FROM t;
--> 3
