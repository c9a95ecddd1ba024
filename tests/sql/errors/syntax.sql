-- a statement that cannot be read is shown with the place
-- backend: sqlite
SELEC 1;
--! SELEC
CREATE TABLE t id BIGINT;
--! Expected PARTITIONED BY, SORTED BY, COMMENT or AS, not 'id'.
CREATE TABLE t (id);
--! Column 'id' needs a type
CREATE TABLE s (id BIGINT) SORTED BY (id DECS);
--! Expected ASC, DESC, NULLS FIRST, NULLS LAST or the end of the sort key, not 'DECS'.
CREATE TABLE (id BIGINT);
--! Expected a name
INSERT t VALUES (1);
--! Expected INTO
INSERT INTO t;
--! Expected VALUES or a query, but the statement ends here
UPDATE t id = 1;
--! Expected SET
DELETE t;
--! Expected DELETE FROM
ALTER TABLE t ADD;
--! Expected a name, but the statement ends here
ATTACH lake.db AS x;
--! Expected a string
FORK lake AS x;
--! Expected FORK CATALOG
DROP x;
--! Expected SCHEMA, TABLE, VIEW, MACRO, CATALOG or SECRET
USE;
--! Expected a name
CALL f;
--! Expected (
COMMENT ON TABLE t 'x';
--! Expected IS
SELECT 'open;
--! a string or a comment without an end
SELECT (1;
--! SELECT (1
MERGE INTO t USING s WHEN MATCHED THEN DELETE;
--! Expected ON
