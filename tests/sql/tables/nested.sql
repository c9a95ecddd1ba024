-- columns of lists, structs and maps
-- dialect: duckdb
-- oracle: yes
CREATE TABLE t (id BIGINT, tags VARCHAR[], place STRUCT(city VARCHAR, zip INTEGER), more MAP(VARCHAR, INTEGER));
INSERT INTO t VALUES (1, ['a', 'b'], {'city': 'Rome', 'zip': 100}, MAP {'x': 1});
INSERT INTO t VALUES (2, [], NULL, NULL), (3, [NULL, 'z'], {'city': NULL, 'zip': 7}, MAP {});
SELECT id, tags, place.city, place['zip'] FROM t ORDER BY id;
--> 1 | [a, b] | Rome | 100
--> 2 | [] | NULL | NULL
--> 3 | [NULL, z] | NULL | 7
SELECT id, tags[1] FROM t ORDER BY id;
--> 1 | a
--> 2 | NULL
--> 3 | NULL
UPDATE t SET tags = list_append(tags, 'c') WHERE id = 1;
--> 1
SELECT tags FROM t WHERE place.city = 'Rome';
--> [a, b, c]
