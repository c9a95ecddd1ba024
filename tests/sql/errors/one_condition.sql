-- a condition is one expression: nothing may follow it, and a comment in it ends with its line
-- backend: sqlite
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1), (1), (2);
DELETE FROM t WHERE id = 1 LIMIT 1;
--! PARSE_SYNTAX_ERROR
UPDATE t SET id = 3 WHERE id = 1 LIMIT 1;
--! PARSE_SYNTAX_ERROR
SELECT * FROM t ORDER BY id;
--> 1
--> 1
--> 2
DELETE FROM t WHERE id = 1 -- the ones
;
SELECT * FROM t;
--> 2
