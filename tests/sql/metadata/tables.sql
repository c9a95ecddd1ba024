-- the metadata can be queried like tables, and only read
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
DROP TABLE t;
SELECT table_name, begin_snapshot, end_snapshot FROM __ducklake_metadata_lake.ducklake_table;
--> t | {v1} | {v3}
SELECT count(*) FROM __ducklake_metadata_lake.main.ducklake_snapshot;
--> 4
SELECT column_name, column_type FROM __ducklake_metadata_lake.ducklake_column ORDER BY column_order;
--> id | int64
--> v | varchar
SELECT s.schema_name, t.table_name, f.record_count FROM __ducklake_metadata_lake.ducklake_data_file f
JOIN __ducklake_metadata_lake.ducklake_table t USING (table_id)
JOIN __ducklake_metadata_lake.ducklake_schema s USING (schema_id);
--> main | t | 2
ATTACH '{target}' AS named (CATALOG 'main', METADATA_CATALOG 'meta'{schema});
SELECT count(*) FROM meta.ducklake_table;
--> 1
SELECT * FROM meta.ducklake_nothing;
--! ducklake_nothing
INSERT INTO __ducklake_metadata_lake.ducklake_table SELECT * FROM __ducklake_metadata_lake.ducklake_table;
--! __ducklake_metadata_lake
DELETE FROM meta.ducklake_table;
--! meta
