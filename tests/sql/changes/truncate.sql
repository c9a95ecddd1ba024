-- TRUNCATE deletes all rows, and history keeps them
-- oracle: yes
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1), (2);
TRUNCATE TABLE t;
--> 2
SELECT count(*) FROM t;
--> 0
SELECT count(*) FROM t AT (VERSION => {v2});
--> 2
TRUNCATE t;
--> 0
TRUNCATE nothing;
--! nothing
