-- tables are renamed, and their history with them
-- oracle: yes
CREATE TABLE t (id BIGINT);
CREATE TABLE u (id BIGINT);
INSERT INTO t VALUES (1);
ALTER TABLE t RENAME TO u;
--! Cannot rename
ALTER TABLE t RENAME TO fresh;
SELECT * FROM t;
--! t
SELECT * FROM fresh;
--> 1
ALTER TABLE IF EXISTS t RENAME TO other;
ALTER TABLE t RENAME TO other;
--! t
SELECT * FROM t AT (VERSION => {v3});
--> 1
