-- what is said of a table beside its name counts, also where the metadata has the rows
CREATE TABLE t (id BIGINT, v VARCHAR);
CALL lake.set_option('data_inlining_row_limit', 10);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
SELECT a, b FROM t AS x (a, b) ORDER BY a;
--> 1 | a
--> 2 | b
SELECT * FROM t AS x (a, b) WHERE a = 2;
--> 2 | b
SELECT count(*) FROM t TABLESAMPLE (0 ROWS);
--> 0
SELECT count(*) FROM t;
--> 2
SUMMARIZE SELECT id AS `a{b}` FROM t;
