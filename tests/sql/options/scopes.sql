-- options hold for a catalog, a schema or a table
CREATE SCHEMA s;
CREATE TABLE s.t (id BIGINT);
CREATE TABLE u (id BIGINT);
CALL lake.set_option('parquet_compression', 'zstd');
CALL lake.set_option('target_file_size', '10MB', schema => 's');
CALL ducklake_set_option('lake', 'auto_compact', false, schema => 's', table_name => 't');
CALL lake.set_option('sort_on_insert', false, table_name => 'u');
SELECT option_name, value, scope, scope_entry FROM lake.options() WHERE scope <> 'GLOBAL' OR option_name LIKE 'parquet%' ORDER BY 1;
--> auto_compact | false | TABLE | s.t
--> parquet_compression | zstd | GLOBAL | NULL
--> sort_on_insert | false | TABLE | main.u
--> target_file_size | 10000000 | SCHEMA | s
CALL lake.set_option('parquet_compression', 'gzip');
SELECT value FROM ducklake_options('lake') WHERE option_name = 'parquet_compression';
--> gzip
CALL lake.set_option('auto_compact', true, table_name => 'nothing');
--! nothing
CALL lake.set_option('auto_compact', true, schema => 'nowhere');
--! nowhere
