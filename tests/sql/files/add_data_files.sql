-- Parquet files that are there already become files of a table
-- dialect: duckdb
-- oracle: yes
CREATE TABLE t (id BIGINT, name VARCHAR, n DOUBLE);
COPY (SELECT 'a' AS NAME, 1.5::FLOAT AS n, 1::INTEGER AS id UNION ALL SELECT NULL, 2.5::FLOAT, 2) TO '{folder}/one.parquet';
COPY (SELECT 3::BIGINT AS id, 'c' AS name, 0.25::DOUBLE AS n, true AS more) TO '{folder}/two.parquet';
COPY (SELECT 4::BIGINT AS id) TO '{folder}/three.parquet';
COPY (SELECT 5::BIGINT AS id) TO '{folder}/four.parquet';
CALL ducklake_add_data_files('lake', 't', '{folder}/one.parquet');
SELECT * FROM t ORDER BY id;
--> 1 | a | 1.5
--> 2 | NULL | 2.5
CALL ducklake_add_data_files('lake', 't', '{folder}/two.parquet');
--! Column "more" exists in file
CALL ducklake_add_data_files('lake', 't', '{folder}/three.parquet');
--! Column "name" exists in table "t" but was not found in file
CALL ducklake_add_data_files('lake', 't', ['{folder}/two.parquet', '{folder}/three.parquet', '{folder}/two.parquet'], schema => 'main', allow_missing => true, ignore_extra_columns => true);
SELECT * FROM t ORDER BY id, name;
--> 1 | a | 1.5
--> 2 | NULL | 2.5
--> 3 | c | 0.25
--> 4 | NULL | NULL
SELECT rowid, id FROM t WHERE id > 2 ORDER BY id;
--> 2 | 3
--> 3 | 4
CALL ducklake_add_data_files('lake', 't', '{folder}/*.orc');
--! No files found that match the pattern
CALL ducklake_add_data_files('lake', 'missing', '{folder}/one.parquet');
--! missing
CREATE TABLE texts (id VARCHAR);
CALL ducklake_add_data_files('lake', 'texts', '{folder}/three.parquet');
--! Failed to map column "id" from file
UPDATE t SET name = upper(name) WHERE id = 3;
DELETE FROM t WHERE id = 1;
ALTER TABLE t RENAME COLUMN n TO m;
ALTER TABLE t ADD COLUMN extra INTEGER DEFAULT 7;
SELECT * FROM t ORDER BY id, name;
--> 2 | NULL | 2.5 | 7
--> 3 | C | 0.25 | 7
--> 4 | NULL | NULL | 7
SELECT count(*) FROM t AT (VERSION => {v2});
--> 2
BEGIN;
CALL ducklake_add_data_files('lake', 't', '{folder}/four.parquet', allow_missing => true);
SELECT count(*) FROM t;
--> 4
ROLLBACK;
SELECT count(*) FROM t;
--> 3
