-- a correlated subquery in SELECT reads tables whose files differ in their columns
-- backend: sqlite
CALL lake.set_option('data_inlining_row_limit', 0);
CREATE TABLE a (id BIGINT, v INT);
CREATE TABLE b (id BIGINT, x INT);
INSERT INTO b VALUES (1, 5);
INSERT INTO a VALUES (1, 10);
ALTER TABLE a RENAME COLUMN v TO w;
CALL lake.set_option('data_inlining_row_limit', 10);
INSERT INTO a VALUES (2, 20);
SELECT id, (SELECT max(x) FROM b WHERE b.id = a.id) AS m, EXISTS (SELECT 1 FROM b WHERE b.id = a.id) AS e FROM a ORDER BY id;
--> 1 | 5 | true
--> 2 | NULL | false
UPDATE a SET w = (SELECT max(x) FROM b WHERE b.id = a.id);
SELECT * FROM a ORDER BY id;
--> 1 | 5
--> 2 | NULL
