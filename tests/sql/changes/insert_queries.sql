-- queries as sources: joins, CTEs, the table itself, BY NAME with defaults
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR DEFAULT 'd', n DOUBLE);
INSERT INTO t WITH x AS (SELECT 1 AS a UNION ALL SELECT 2) SELECT a, 'x', a / 2.0 FROM x;
--> 2
INSERT INTO t (id, n) SELECT t.id + 10, u.n FROM t JOIN t u ON t.id = u.id;
--> 2
INSERT INTO t BY NAME SELECT 1.5 AS n, 30 AS id;
--> 1
INSERT INTO t BY NAME SELECT 1 AS id, 2 AS wrong;
--! wrong
SELECT * FROM t ORDER BY id;
--> 1 | x | 0.5
--> 2 | x | 1.0
--> 11 | d | 0.5
--> 12 | d | 1.0
--> 30 | d | 1.5
INSERT INTO t (id) SELECT 1, 2;
--! columns
INSERT INTO t (id, id) VALUES (1, 2);
--! id
INSERT INTO t VALUES ('not a number', 'x', 1);
--! BIGINT
SELECT count(*) FROM t;
--> 5
