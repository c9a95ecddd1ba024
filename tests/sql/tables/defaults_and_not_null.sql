-- columns have defaults, and some refuse NULL
-- oracle: yes
CREATE TABLE t (id BIGINT NOT NULL, n INTEGER DEFAULT 7, s VARCHAR DEFAULT 'it''s', b BOOLEAN DEFAULT true);
INSERT INTO t (id) VALUES (1);
INSERT INTO t VALUES (2, NULL, NULL, NULL);
INSERT INTO t (s, id) VALUES ('x', 3);
SELECT * FROM t ORDER BY id;
--> 1 | 7 | it's | true
--> 2 | NULL | NULL | NULL
--> 3 | 7 | x | true
INSERT INTO t (n) VALUES (1);
--! NOT NULL constraint failed: t.id
INSERT INTO t VALUES (NULL, 1, '', false);
--! NOT NULL constraint failed: t.id
INSERT INTO t (id) SELECT CASE WHEN id < 3 THEN id END FROM t;
--! NOT NULL constraint failed: t.id
UPDATE t SET id = NULL WHERE id = 1;
--! NOT NULL constraint failed: t.id
SELECT count(*) FROM t;
--> 3
