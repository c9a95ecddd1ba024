-- forks of forks, each with changes of its own, merged back by hand
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
FORK CATALOG lake AS one;
ATTACH '{target}' AS one (CATALOG 'one'{schema});
UPDATE one.t SET v = 'one' WHERE id = 1;
ALTER TABLE one.t ADD COLUMN n INTEGER DEFAULT 7;
FORK CATALOG one AS two;
ATTACH '{target}' AS two (CATALOG 'two'{schema});
DELETE FROM two.t WHERE id = 2;
INSERT INTO two.t VALUES (3, 'two', 3);
SELECT * FROM two.t ORDER BY id;
--> 1 | one | 7
--> 3 | two | 3
SELECT * FROM one.t ORDER BY id;
--> 1 | one | 7
--> 2 | b | 7
SELECT * FROM lake.t ORDER BY id;
--> 1 | a
--> 2 | b
MERGE INTO lake.t USING two.t AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v);
--> 2
SELECT * FROM lake.t ORDER BY id;
--> 1 | one
--> 2 | b
--> 3 | two
DROP CATALOG two;
SELECT count(*) FROM one.t;
--> 2
