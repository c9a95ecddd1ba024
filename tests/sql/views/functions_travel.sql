-- a view over functions and metadata travels, and reads a pinned catalog as that is
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1);
CREATE VIEW newest AS SELECT max(snapshot_id) AS n FROM lake.snapshots();
CREATE VIEW newest_metadata AS SELECT max(snapshot_id) AS n FROM __ducklake_metadata_lake.ducklake_snapshot;
CREATE VIEW here AS SELECT id FROM ducklake_current_snapshot('lake');
CREATE VIEW files AS SELECT count(*) AS n FROM lake.options() WHERE option_name = 'parquet_compression';
CREATE VIEW past AS SELECT id FROM lake.main.t AT (VERSION => {v2});
INSERT INTO t VALUES (2);
CALL lake.set_option('parquet_compression', 'zstd');
SELECT n FROM newest AT (VERSION => {v5});
--> {v5}
SELECT n FROM newest_metadata AT (VERSION => {v5});
--> {v5}
SELECT id FROM here AT (VERSION => {v5});
--> {v5}
SELECT n FROM files;
--> 1
SELECT n FROM files AT (VERSION => {v6});
--> 0
SELECT id FROM past;
--> 1
ATTACH '{target}' AS pinned (CATALOG 'main', SNAPSHOT_VERSION {v5}{schema});
SELECT n FROM pinned.newest;
--> {v5}
SELECT n FROM pinned.newest_metadata;
--> {v5}
SELECT id FROM pinned.here;
--> {v5}
BEGIN;
INSERT INTO t VALUES (3);
CREATE VIEW counted AS SELECT count(*) AS n FROM lake.t;
SELECT n FROM counted;
--> 3
ROLLBACK;
SELECT n FROM counted;
--! counted
