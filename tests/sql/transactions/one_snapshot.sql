-- a transaction is one snapshot, or none
CREATE TABLE t (id BIGINT);
BEGIN;
INSERT INTO t VALUES (1);
CREATE TABLE u (id BIGINT);
INSERT INTO u SELECT id + 1 FROM t;
SELECT id FROM u;
--> 2
COMMIT;
SELECT max(snapshot_id) FROM lake.snapshots();
--> 3
BEGIN;
DELETE FROM t;
SELECT count(*) FROM t;
--> 0
ROLLBACK;
SELECT count(*) FROM t;
--> 1
COMMIT;
--! no transaction is active
