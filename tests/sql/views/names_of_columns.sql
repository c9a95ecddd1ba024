-- columns of a view have the names it gives them
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a');
CREATE VIEW w (key, val) AS SELECT id, v FROM t;
SELECT val, key FROM w WHERE key = 1;
--> a | 1
CREATE VIEW fewer (key) AS SELECT id, v FROM t;
SELECT key, v FROM fewer;
--> 1 | a
CREATE VIEW more (a, b, c) AS SELECT id, v FROM t;
--! more
