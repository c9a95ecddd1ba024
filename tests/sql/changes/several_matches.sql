-- a row that several others match is deleted once; one that would be changed to several things is refused
-- backend: sqlite
CREATE TABLE t (id BIGINT, s STRUCT<a: INT, id: INT>);
CREATE TABLE other (id BIGINT, v INT);
INSERT INTO t VALUES (1, named_struct('a', 1, 'id', 1)), (2, NULL);
INSERT INTO other VALUES (1, 10), (1, 11), (2, 20);
DELETE FROM t USING other WHERE t.id = other.id AND t.id = 1;
--> 1
UPDATE t SET s.id = 5;
--! Cannot set s.id: only whole columns can be set
MERGE INTO t USING other o ON t.id = o.id + 1 WHEN MATCHED THEN UPDATE SET id = o.v;
--! A row would be changed twice, because it matches several rows of the source.
SELECT id FROM t;
--> 2
