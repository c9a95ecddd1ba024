-- what is attached READ_ONLY is only read
-- backend: sqlite
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1), (2);
ATTACH '{target}' AS ro (CATALOG 'main', READ_ONLY);
SELECT count(*) FROM ro.t;
--> 2
INSERT INTO ro.t VALUES (3);
--! read-only
DELETE FROM ro.t WHERE id = 1;
--! read-only
UPDATE ro.t SET id = 2 WHERE id = 1;
--! read-only
CREATE TABLE ro.u (id BIGINT);
--! read-only
CALL ro.set_option('parquet_compression', 'zstd');
--! read-only
INSERT INTO lake.t VALUES (3);
SELECT count(*) FROM ro.t;
--> 3
MERGE INTO ro.t USING (SELECT 9 AS id) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = 2;
--! read-only
CREATE TABLE ro.u AS SELECT 1 AS id;
--! read-only
TRUNCATE TABLE ro.t;
--! read-only
ALTER TABLE ro.t ADD COLUMN b BIGINT;
--! read-only
COMMENT ON TABLE ro.t IS 'mine';
--! read-only
CALL ducklake_merge_adjacent_files('ro');
--! read-only
CALL ducklake_expire_snapshots('ro', older_than => TIMESTAMP '2999-01-01');
--! read-only
CALL ducklake_cleanup_old_files('ro', cleanup_all => true);
--! read-only
FORK CATALOG ro AS x;
--! reading only
DROP CATALOG ro;
--! read-only
DROP CATALOG lake;
--! attached in read-only mode as 'ro'; detach that first
DROP CATALOG main;
--! attached in read-only mode as 'ro'; detach that first
CALL ducklake_drop_catalog('lake', 'main');
--! attached in read-only mode as 'ro'; detach that first
FORK CATALOG lake AS other;
DETACH ro;
USE lake;
SELECT count(*) FROM t;
--> 3
