-- columns are added, renamed and dropped, and old rows follow
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a');
ALTER TABLE t ADD COLUMN n INTEGER;
ALTER TABLE t ADD COLUMN d VARCHAR DEFAULT 'none';
ALTER TABLE t ADD COLUMN IF NOT EXISTS n VARCHAR;
ALTER TABLE t ADD COLUMN n INTEGER;
--! already exists
INSERT INTO t VALUES (2, 'b', 5, 'x');
SELECT * FROM t ORDER BY id;
--> 1 | a | NULL | none
--> 2 | b | 5 | x
ALTER TABLE t RENAME COLUMN v TO w;
ALTER TABLE t RENAME nothing TO x;
--! nothing
ALTER TABLE t RENAME w TO id;
--! already exists
ALTER TABLE t DROP COLUMN n;
ALTER TABLE t DROP COLUMN n;
--! n
ALTER TABLE t DROP COLUMN IF EXISTS n;
SELECT w, d FROM t ORDER BY id;
--> a | none
--> b | x
ALTER TABLE t ADD COLUMN n INTEGER;
SELECT * FROM t ORDER BY id;
--> 1 | a | none | NULL
--> 2 | b | x | NULL
SELECT v FROM t AT (VERSION => {v2});
--> a
