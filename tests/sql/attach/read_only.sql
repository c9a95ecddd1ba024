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
