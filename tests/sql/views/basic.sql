-- views are created, replaced, renamed and dropped
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
CREATE VIEW w AS SELECT id, upper(v) AS u FROM t WHERE id > 1;
SELECT * FROM w;
--> 2 | B
INSERT INTO t VALUES (3, 'c');
SELECT * FROM w ORDER BY id;
--> 2 | B
--> 3 | C
CREATE VIEW w AS SELECT 1 AS x;
--! already exists
CREATE VIEW IF NOT EXISTS w AS SELECT 1 AS x;
CREATE OR REPLACE VIEW w AS SELECT count(*) AS n FROM t;
SELECT n FROM w;
--> 3
ALTER VIEW w RENAME TO counted;
SELECT n FROM w;
--! w
SELECT n FROM counted;
--> 3
DROP VIEW counted;
DROP VIEW counted;
--! counted
DROP VIEW IF EXISTS counted;
CREATE VIEW broken AS SELECT nothing FROM t;
--! nothing
CREATE VIEW broken AS SELECT * FROM nowhere;
--! nowhere
