-- comments on everything
-- backend: sqlite
CREATE TABLE t (id BIGINT COMMENT 'the key', v VARCHAR) COMMENT 'a table';
CREATE VIEW w AS SELECT id FROM t;
CREATE SCHEMA s;
CREATE MACRO m(x) AS x + 1;
COMMENT ON TABLE t IS 'it''s; all --of them';
COMMENT ON COLUMN t.v IS 'a value';
COMMENT ON VIEW w IS 'a view';
COMMENT ON SCHEMA s IS 'a schema';
COMMENT ON MACRO m IS 'a macro';
SELECT value FROM __ducklake_metadata_lake.ducklake_tag WHERE end_snapshot IS NULL ORDER BY value;
--> a macro
--> a schema
--> a view
--> it's; all --of them
SELECT value FROM __ducklake_metadata_lake.ducklake_column_tag WHERE end_snapshot IS NULL ORDER BY value;
--> a value
--> the key
COMMENT ON TABLE t IS NULL;
COMMENT ON COLUMN t.id IS NULL;
SELECT value FROM __ducklake_metadata_lake.ducklake_tag WHERE end_snapshot IS NULL ORDER BY value;
--> a macro
--> a schema
--> a view
COMMENT ON COLUMN w.id IS 'x';
--! Cannot comment on columns for entry w - it is not a table
COMMENT ON COLUMN t.nothing IS 'x';
--! nothing
COMMENT ON TABLE nothing IS 'x';
--! nothing
COMMENT ON INDEX i IS 'x';
--! Expected TABLE, VIEW, COLUMN, SCHEMA or MACRO
