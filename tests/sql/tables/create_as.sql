-- a table takes its columns and rows from a query
-- oracle: yes
CREATE TABLE t AS SELECT 1::BIGINT AS id, 'pen' AS item UNION ALL SELECT 2, 'ink';
--> 2
SELECT * FROM t ORDER BY id;
--> 1 | pen
--> 2 | ink
CREATE TABLE empty AS SELECT * FROM t WITH NO DATA;
SELECT count(*) FROM empty;
--> 0
INSERT INTO empty SELECT * FROM t WHERE id = 2;
--> 1
CREATE OR REPLACE TABLE t AS SELECT id * 10 AS id FROM t WHERE id > 1;
--> 1
SELECT * FROM t;
--> 20
CREATE TABLE IF NOT EXISTS t AS SELECT 5 AS x;
CREATE TABLE t AS SELECT 5 AS x;
--! already exists
SELECT * FROM t;
--> 20
CREATE TABLE with_a_comment AS SELECT 1 AS a -- WITH NO DATA
;
SELECT count(*) FROM with_a_comment;
--> 1
CREATE TABLE without_rows AS SELECT 1 AS a WITH NO DATA;
SELECT count(*) FROM without_rows;
--> 0
