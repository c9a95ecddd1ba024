-- rows come from values, queries, by name, by column list and from defaults
-- oracle: yes
CREATE TABLE t (id BIGINT, item VARCHAR DEFAULT 'none', price DECIMAL(10, 2));
INSERT INTO t VALUES (1, 'pen', 1.5);
--> 1
INSERT INTO t (price, id) VALUES (2.25, 2), (NULL, 3);
--> 2
INSERT INTO t SELECT id + 10, item, price FROM t WHERE id < 3;
--> 2
INSERT INTO t BY NAME SELECT 'late' AS item, 20 AS id;
--> 1
SELECT id, item, price FROM t ORDER BY id;
--> 1 | pen | 1.50
--> 2 | none | 2.25
--> 3 | none | NULL
--> 11 | pen | 1.50
--> 12 | none | 2.25
--> 20 | late | NULL
INSERT INTO t VALUES (1, 'too few');
--! columns
INSERT INTO t (id, nothing) VALUES (1, 2);
--! nothing
SELECT count(*) FROM t;
--> 6
