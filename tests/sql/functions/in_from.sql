-- functions stand where tables do: with filters, joins and aggregates, in both spellings
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1), (2);
CREATE SCHEMA s;
CREATE TABLE s.u (id BIGINT);
SELECT snapshot_id FROM ducklake_snapshots('lake') ORDER BY snapshot_id DESC LIMIT 1;
--> {v4}
SELECT count(*) FROM lake.snapshots() WHERE snapshot_id > {v2};
--> 2
SELECT table_name, file_count FROM lake.table_info() ORDER BY table_name;
--> t | 1
--> u | 0
SELECT i.table_name, s.schema_name FROM ducklake_table_info('lake') i
JOIN __ducklake_metadata_lake.ducklake_schema s ON s.schema_id = i.schema_id ORDER BY 1;
--> t | main
--> u | s
SELECT id FROM lake.current_snapshot();
--> {v4}
SELECT id FROM lake.last_committed_snapshot();
--> {v4}
SELECT count(*) FROM ducklake_list_files('lake', 't') f WHERE f.delete_file IS NULL;
--> 1
SELECT catalog_name FROM ducklake_catalogs('lake');
--> main
SELECT catalog_type FROM lake.settings() WHERE catalog_type = 'nothing';
--> (none)
SELECT x.n FROM (SELECT max(snapshot_id) AS n FROM snapshots()) x;
--> {v4}
CALL lake.current_snapshot();
--> {v4}
