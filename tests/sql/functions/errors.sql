-- functions say what they take
-- backend: sqlite
CREATE TABLE t (id BIGINT);
SELECT * FROM ducklake_snapshots('lak');
--! Failed to find attached database "lak"; did you mean "lake"?
SELECT * FROM ducklake_snapshots(NULL);
--! Catalog cannot be NULL
SELECT * FROM ducklake_snapshots();
--! the catalog is missing
SELECT * FROM lake.snapshots(1);
--! takes no more than 0 arguments
CALL lake.snapshotz();
--! Did you mean 'snapshots'?
CALL lake.set_option('parquet_compression', 'zstd', tabel_name => 't');
--! Invalid named parameter "tabel_name"; did you mean table_name?
CALL lake.set_option('parquet_compression');
--! needs a value for value
SELECT * FROM ducklake_list_files('lake', 't', snapshot_version => 1, snapshot_time => now());
--! must be specified - not both
SELECT * FROM lake.table_changes('t', 'x', 3);
--! start_snapshot must be BIGINT or TIMESTAMPTZ
CALL ducklake_expire_snapshots('lake', versions => [1], older_than => now());
--! cannot specify both
CALL ducklake_cleanup_old_files('lake', cleanup_all => true, older_than => now());
--! either cleanup_all OR older_than must be specified
CALL ducklake_merge_adjacent_files('lake', 'nothing');
--! nothing
CALL ducklake_merge_adjacent_files('lake', 'main.t');
--! Did you mean 't' of schema 'main'? The schema is an argument
SELECT * FROM ducklake_table_changes('lake', 'main', '"main"."t"', 1, 2);
--! Did you mean 't' of schema 'main'?
SELECT * FROM lake.list_files('other.t');
--! does not exist
CALL ducklake_set_option('lake', 'target_file_size', '1MB', table_name => 'main.t');
--! Did you mean 't' of schema 'main'?
CALL ducklake_rewrite_data_files('lake', delete_threshold => 2);
--! The delete_threshold option must be between 0 and 1
