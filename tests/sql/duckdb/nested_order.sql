-- NULL is last within lists and structs too, however these come about
-- dialect: duckdb
-- oracle: yes
-- backend: sqlite
CREATE TABLE n (id INT, l INT[], s STRUCT(a INT));
INSERT INTO n VALUES (1, [1, 2], {'a': 1}), (2, [NULL, 1], {'a': NULL}), (3, NULL, NULL), (4, [1, NULL], {'a': 3});
SELECT id FROM n WHERE (s.a, 1) < (2, 1);
--> 1
SELECT id FROM n ORDER BY (s.a, id);
--> 1
--> 4
--> 2
--> 3
SELECT id FROM n ORDER BY row(s.a, id) DESC;
--> 3
--> 2
--> 4
--> 1
SELECT id FROM n ORDER BY l || [1];
--> 1
--> 4
--> 2
--> 3
SELECT l FROM n ORDER BY ALL;
--> [1, 2]
--> [1, NULL]
--> [NULL, 1]
--> NULL
SELECT l FROM n UNION SELECT [0, NULL] ORDER BY 1;
--> [0, NULL]
--> [1, 2]
--> [1, NULL]
--> [NULL, 1]
--> NULL
SELECT id, count(*) FROM n GROUP BY id ORDER BY count(*), id DESC LIMIT 1;
--> 4 | 1
