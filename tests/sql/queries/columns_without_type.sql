-- columns of no type hold nothing but NULL
-- backend: sqlite
CREATE TABLE t (k BIGINT);
INSERT INTO t VALUES (1), (2);
SELECT a.k, e.x FROM t AS a LATERAL VIEW explode(array()) e AS x;
--> (none)
SELECT NULL AS n, k + 0 AS k, array() AS a FROM t ORDER BY k;
--> NULL | 1 | []
--> NULL | 2 | []
