-- the word DEFAULT in place of a value, in the other dialect
-- dialect: duckdb
-- backend: sqlite
CREATE TABLE t (a INT DEFAULT 7, b VARCHAR DEFAULT NULL, c DATE DEFAULT DATE '2020-01-01', d VARCHAR DEFAULT 'x' NOT NULL);
ALTER TABLE t ADD COLUMN e INT DEFAULT NULL;
INSERT INTO t VALUES (DEFAULT, 'one', DEFAULT, DEFAULT, 1);
INSERT INTO t VALUES (1, DEFAULT, DATE '2021-02-03', 'y', DEFAULT), (default, 'two', DEFAULT, DEFAULT, 2), (3, '(DEFAULT, ''', DEFAULT, 'z', 1 + 2);
INSERT INTO t (e, a) VALUES (4, DEFAULT), (1 + 4, 0);
INSERT INTO t VALUES (DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT), (DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT);
SELECT a, b, c, d, e FROM t ORDER BY e NULLS LAST, a, b;
--> 7 | one | 2020-01-01 | x | 1
--> 7 | two | 2020-01-01 | x | 2
--> 3 | (DEFAULT, ' | 2020-01-01 | z | 3
--> 7 | NULL | 2020-01-01 | x | 4
--> 0 | NULL | 2020-01-01 | x | 5
--> 1 | NULL | 2021-02-03 | y | NULL
--> 7 | NULL | 2020-01-01 | x | NULL
--> 7 | NULL | 2020-01-01 | x | NULL
INSERT INTO t (a, d) VALUES (1, NULL), (2, DEFAULT);
--! NOT NULL
INSERT INTO t (a, b) VALUES (DEFAULT);
--! values
SELECT count(*) FROM t;
--> 8
