-- Spark's own times of day go into columns of type TIME, which are texts
-- backend: sqlite
CREATE TABLE t (id INT, c TIME DEFAULT TIME'09:00:00', l ARRAY<TIME>, s STRUCT<a: TIME>, v STRING);
INSERT INTO t VALUES (1, TIME'10:00:00', array(TIME'10:00:00.50'), named_struct('a', TIME'00:00:00'), TIME'23:59:59.999999');
INSERT INTO t (id, c) SELECT 2, c FROM VALUES (TIME'1:2:3') AS x (c);
INSERT INTO t (id) VALUES (3);
UPDATE t SET c = TIME'11:00:00' WHERE id = 1;
SELECT * FROM t ORDER BY id;
--> 1 | 11:00:00 | [10:00:00.5] | {a: 00:00:00} | 23:59:59.999999
--> 2 | 01:02:03 | NULL | NULL | NULL
--> 3 | 09:00:00 | NULL | NULL | NULL
SELECT id FROM t WHERE c = '11:00:00';
--> 1
CREATE TABLE made AS SELECT TIME'10:00:00' AS c, array(TIME'10:00:00') AS l;
DESCRIBE made;
--> c | TIME | YES | NULL | NULL | NULL
--> l | TIME[] | YES | NULL | NULL | NULL
SELECT * FROM made;
--> 10:00:00 | [10:00:00]
INSERT INTO t (id) VALUES (TIME'10:00:00');
--! Cannot write TIME to column id
INSERT INTO t (id, c) VALUES (4, TIME'10:00:00.1234567');
--! Column c of type TIME cannot hold 10:00:00.1234567
INSERT INTO t (id, c) VALUES (4, '24:00:00');
--! Column c of type TIME cannot hold 24:00:00
ALTER TABLE t ALTER COLUMN c SET DEFAULT '24:00:00';
--! Column c of type TIME cannot hold 24:00:00
SELECT TIME'24:00:00';
--! INVALID_TYPED_LITERAL
