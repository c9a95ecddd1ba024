-- names of ours in every place where a query has tables
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
CREATE TABLE u (id BIGINT, n INTEGER);
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL);
INSERT INTO u VALUES (1, 10), (1, 11), (3, 30);
WITH t AS (SELECT * FROM t WHERE id < 3) SELECT count(*) FROM t;
--> 2
WITH a AS (SELECT id FROM t), b AS (SELECT id FROM a WHERE id > 1) SELECT count(*) FROM b, a;
--> 6
SELECT id, (SELECT sum(n) FROM u WHERE u.id = t.id) AS total FROM t ORDER BY id;
--> 1 | 21
--> 2 | NULL
--> 3 | 30
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id) ORDER BY id;
--> 1
--> 3
SELECT id FROM t UNION SELECT id FROM u ORDER BY id;
--> 1
--> 2
--> 3
SELECT x.id, y.id FROM t x CROSS JOIN t y WHERE x.id < y.id ORDER BY 1, 2;
--> 1 | 2
--> 1 | 3
--> 2 | 3
SELECT lake.main.t.id, main.t.v, t.id FROM lake.main.t WHERE t.id = 2;
--> 2 | b | 2
SELECT id, row_number() OVER (ORDER BY id DESC) AS r FROM t ORDER BY r;
--> 3 | 1
--> 2 | 2
--> 1 | 3
SELECT count(*), count(v), min(id), max(v) FROM t;
--> 3 | 2 | 1 | b
SELECT T.ID FROM T WHERE V = 'a';
--> 1
