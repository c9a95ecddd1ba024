-- QUALIFY and DISTINCT ON
-- dialect: duckdb
-- oracle: yes
CREATE TABLE t (id INTEGER, name VARCHAR);
INSERT INTO t VALUES (1, 'pen'), (2, 'ink'), (10, 'R10'), (11, 'r11');
SELECT id, name FROM t WHERE name ILIKE 'R%' QUALIFY row_number() OVER (ORDER BY id DESC) = 1;
--> 11 | r11
SELECT id FROM t QUALIFY row_number() OVER (ORDER BY id DESC) = 1;
--> 11
SELECT DISTINCT ON (id % 2) id FROM t ORDER BY id % 2, id DESC;
--> 10
--> 11
