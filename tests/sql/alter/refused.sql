-- alterations that there are not
-- oracle: yes
CREATE TABLE t (id BIGINT);
CREATE VIEW v AS SELECT 1 AS x;
ALTER TABLE t DROP COLUMN id;
--! Cannot drop column: table only has one column remaining!
ALTER TABLE t SET SCHEMA other;
--! Unsupported ALTER TABLE type in DuckLake
ALTER TABLE t ADD PRIMARY KEY (id);
--! 
ALTER TABLE t ADD COLUMN n BIGINT PRIMARY KEY;
--! 
ALTER TABLE nothing ADD COLUMN x INTEGER;
--! nothing
ALTER TABLE v ADD COLUMN y INTEGER;
--! v
ALTER VIEW t RENAME TO u;
--! t
