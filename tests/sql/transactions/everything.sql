-- definitions and rows of a transaction are seen in it, and come together or not at all
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a');
BEGIN;
CREATE SCHEMA s;
CREATE TABLE s.u AS SELECT id FROM t;
ALTER TABLE t ADD COLUMN n INTEGER;
UPDATE t SET n = 5;
CREATE VIEW s.w AS SELECT n FROM t;
DELETE FROM s.u;
INSERT INTO s.u VALUES (7);
SELECT * FROM s.u;
--> 7
SELECT n FROM s.w;
--> 5
ROLLBACK;
SELECT * FROM t;
--> 1 | a
SELECT * FROM s.u;
--! s
BEGIN;
ALTER TABLE t RENAME TO moved;
INSERT INTO moved VALUES (2, 'b');
UPDATE moved SET v = 'c' WHERE id = 1;
COMMIT;
SELECT * FROM moved ORDER BY id;
--> 1 | c
--> 2 | b
SELECT * FROM lake.current_snapshot();
--> {v3}
