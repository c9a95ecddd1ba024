-- every option takes what it can mean, and nothing else
-- backend: sqlite
CALL lake.set_option('data_inlining_row_limit', 100);
CALL lake.set_option('target_file_size', '1GB');
CALL lake.set_option('parquet_compression', 'ZSTD');
CALL lake.set_option('parquet_compression_level', 3);
CALL lake.set_option('parquet_row_group_size', 1000);
CALL lake.set_option('parquet_row_group_size_bytes', '1MB');
CALL lake.set_option('parquet_version', 2);
CALL lake.set_option('hive_file_pattern', false);
CALL lake.set_option('per_thread_output', true);
CALL lake.set_option('rewrite_delete_threshold', 0.5);
CALL lake.set_option('delete_older_than', '1 day');
CALL lake.set_option('expire_older_than', INTERVAL 2 DAYS);
SELECT option_name, value FROM lake.options() WHERE option_name NOT IN ('created_by', 'data_path', 'version', 'encrypted') ORDER BY 1;
--> data_inlining_row_limit | 100
--> delete_older_than | 1 day
--> expire_older_than | 2 days
--> hive_file_pattern | false
--> parquet_compression | zstd
--> parquet_compression_level | 3
--> parquet_row_group_size | 1000
--> parquet_row_group_size_bytes | 1000000
--> parquet_version | V2
--> per_thread_output | true
--> rewrite_delete_threshold | 0.5
--> target_file_size | 1000000000
CALL lake.set_option('parquet_compresion', 'zstd');
--! Unsupported option
CALL lake.set_option('parquet_compression', 'zip');
--! Unsupported codec "zip" for parquet
CALL lake.set_option('parquet_version', 3);
--! Only Parquet version 1 and 2 are supported
CALL lake.set_option('parquet_row_group_size', 0);
--! Row group size cannot be 0
CALL lake.set_option('delete_older_than', 'soon');
--! not a valid interval
CALL lake.set_option('auto_compact', NULL);
--! The auto_compact option can't be null.
CALL lake.set_option('rewrite_delete_threshold', 1.5);
--! between 0 and 1
CALL lake.set_option('version', '1.0');
--! version
BEGIN;
CREATE TABLE fresh (id BIGINT);
CALL lake.set_option('auto_compact', false, table_name => 'fresh');
--! Settings cannot be set for transaction-local
ROLLBACK;
