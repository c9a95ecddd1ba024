-- a whole catalog can be attached as it was, to be read
-- backend: sqlite
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
ATTACH '{target}' AS old (CATALOG 'main', SNAPSHOT_VERSION {v2});
SELECT id FROM old.t;
--> 1
SELECT a.id, b.id FROM lake.t a LEFT JOIN old.t b ON a.id = b.id ORDER BY 1;
--> 1 | 1
--> 2 | NULL
INSERT INTO old.t VALUES (3);
--! read-only
DROP TABLE old.t;
--! read-only
ATTACH '{target}' AS bad (CATALOG 'main', SNAPSHOT_VERSION 99);
--! No snapshot found at version 99
ATTACH '{target}' AS bad (CATALOG 'main', SNAPSHOT_TIME '1999-01-01');
--! No snapshot found at timestamp
ATTACH '{target}' AS bad (CATALOG 'main', SNAPSHOT_VERSION 1, SNAPSHOT_TIME '1999-01-01');
--! Cannot specify both VERSION and TIMESTAMP
ATTACH '{target}' AS late (CATALOG 'main', SNAPSHOT_TIME '2999-01-01');
SELECT count(*) FROM late.t;
--> 2
SELECT count(*) FROM old.t AT (VERSION => {v1});
--> 0
SELECT count(*) FROM old.t AT (VERSION => {v3});
--! attached at version {v2}
SELECT count(*) FROM old.t AT (TIMESTAMP => '2999-01-01');
--! attached at version {v2}
SELECT count(*) FROM late.t AT (TIMESTAMP => '2999-01-01');
--> 2
SELECT max(snapshot_id) FROM old.snapshots();
--> {v2}
SELECT count(*) FROM ducklake_table_insertions('old', 'main', 't', {v1}, {v3});
--! attached at version {v2}
SELECT count(*) FROM ducklake_list_files('old', 't', snapshot_version => {v3});
--! attached at version {v2}
FORK CATALOG old AS by_statement;
SELECT ducklake_fork_catalog('old', 'by_function');
FORK CATALOG old AS before AT (VERSION => {v1});
FORK CATALOG old AS after AT (VERSION => {v3});
--! attached at version {v2}
SELECT ducklake_fork_catalog('old', 'after', version => {v3});
--! attached at version {v2}
ATTACH '{target}' AS by_statement (CATALOG 'by_statement');
ATTACH '{target}' AS by_function (CATALOG 'by_function');
ATTACH '{target}' AS before (CATALOG 'before');
SELECT (SELECT count(*) FROM by_statement.t), (SELECT count(*) FROM by_function.t), (SELECT count(*) FROM before.t);
--> 1 | 1 | 0
CALL ducklake_expire_snapshots('old', older_than => TIMESTAMP '2999-01-01');
--! read-only
DROP CATALOG old;
--! read-only
DROP CATALOG lake;
--! attached in read-only mode as 'old'; detach that first
SELECT ducklake_drop_catalog('old', 'before');
--! read-only
