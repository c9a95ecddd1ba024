-- conditions choose rows, whatever is known of the files
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR, d DATE, x DOUBLE);
INSERT INTO t VALUES (1, 'a', DATE '2025-01-01', 0.5), (2, 'b', DATE '2025-06-01', NULL);
INSERT INTO t VALUES (3, NULL, DATE '2026-01-01', -1), (4, 'it''s', NULL, 100);
SELECT id FROM t WHERE id BETWEEN 2 AND 3 ORDER BY id;
--> 2
--> 3
SELECT id FROM t WHERE v = 'it''s';
--> 4
SELECT id FROM t WHERE d >= DATE '2025-06-01' ORDER BY id;
--> 2
--> 3
SELECT id FROM t WHERE v IS NULL OR x IS NULL ORDER BY id;
--> 2
--> 3
SELECT id FROM t WHERE id IN (1, 4) AND NOT (x < 1);
--> 4
SELECT id FROM t WHERE 2 < id AND x <> -1;
--> 4
SELECT id FROM t WHERE v LIKE 'b%' OR id * 2 = 8 ORDER BY id;
--> 2
--> 4
SELECT id FROM t WHERE coalesce(v, 'z') > 'b' ORDER BY id;
--> 3
--> 4
SELECT count(*) FROM t WHERE id > 100;
--> 0
