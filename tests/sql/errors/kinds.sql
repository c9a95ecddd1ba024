-- a table is no view, and the other way around
-- oracle: yes
CREATE TABLE t (id BIGINT);
CREATE VIEW v AS SELECT 1 AS x;
CREATE VIEW t AS SELECT 1 AS x;
--! t
CREATE TABLE v (id BIGINT);
--! v
DROP VIEW t;
--! Existing object t is of type Table, trying to drop type View
DROP TABLE v;
--! Existing object v is of type View, trying to drop type Table
CREATE OR REPLACE VIEW t AS SELECT 1 AS x;
--! Existing object t is of type Table, trying to replace with type View
CREATE OR REPLACE TABLE v (id BIGINT);
--! Existing object v is of type View, trying to replace with type Table
ALTER TABLE t RENAME TO v;
--! v
SELECT count(*) FROM t;
--> 0
SELECT x FROM v;
--> 1
