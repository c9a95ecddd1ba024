-- neither a fork nor the end of a catalog can be rolled back, so neither runs inside a transaction
-- backend: sqlite
CREATE TABLE t (id BIGINT);
FORK CATALOG lake AS old;
BEGIN;
INSERT INTO t VALUES (1);
FORK CATALOG lake AS x;
--! FORK CATALOG cannot run inside a transaction
SELECT ducklake_fork_catalog('lake', 'x');
--! FORK CATALOG cannot run inside a transaction
SELECT catalog_name FROM ducklake_fork_catalog('lake', 'x');
--! FORK CATALOG cannot run inside a transaction
DROP CATALOG old;
--! DROP CATALOG cannot run inside a transaction
DROP CATALOG IF EXISTS old;
--! DROP CATALOG cannot run inside a transaction
SELECT ducklake_drop_catalog('lake', 'old');
--! ducklake_drop_catalog cannot run inside a transaction
INSERT INTO t VALUES (2);
COMMIT;
SELECT count(*) FROM t;
--> 2
SELECT catalog_name FROM lake.catalogs() ORDER BY 1;
--> main
--> old
