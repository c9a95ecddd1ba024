-- fields of structs are columns too
-- dialect: duckdb
-- oracle: yes
CREATE TABLE t (id BIGINT, s STRUCT(a INTEGER, b VARCHAR));
INSERT INTO t VALUES (1, {'a': 1, 'b': 'x'});
ALTER TABLE t ADD COLUMN s.c DOUBLE;
INSERT INTO t VALUES (2, {'a': 2, 'b': 'y', 'c': 0.5});
SELECT id, s FROM t ORDER BY id;
--> 1 | {a: 1, b: x, c: NULL}
--> 2 | {a: 2, b: y, c: 0.5}
ALTER TABLE t RENAME s.b TO name;
ALTER TABLE t DROP COLUMN s.a;
SELECT id, s.name, s.c FROM t ORDER BY id;
--> 1 | x | NULL
--> 2 | y | 0.5
SELECT s FROM t ORDER BY id;
--> {name: x, c: NULL}
--> {name: y, c: 0.5}
ALTER TABLE t ADD COLUMN s.c INTEGER;
--! already exists
ALTER TABLE t ADD COLUMN id.x INTEGER;
--! Fields can only be added to structs
ALTER TABLE t DROP COLUMN s.nothing;
--! nothing
