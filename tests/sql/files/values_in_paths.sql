-- folders such as region=a give values of columns
-- backend: sqlite
CREATE TABLE sales (id BIGINT, region STRING, day DATE) PARTITIONED BY (region);
COPY (SELECT CAST(1 AS BIGINT) AS id UNION ALL SELECT 2) TO '{folder}/in/region=north%2Feast/day=2026-01-01' (FORMAT parquet);
COPY (SELECT CAST(3 AS BIGINT) AS id) TO '{folder}/in/region=__HIVE_DEFAULT_PARTITION__/day=2026-01-02' (FORMAT parquet);
SELECT count(*) FROM ducklake_add_data_files('lake', 'sales', '{folder}/in');
--> 2
SELECT * FROM sales ORDER BY id;
--> 1 | north/east | 2026-01-01
--> 2 | north/east | 2026-01-01
--> 3 | NULL | 2026-01-02
SELECT id FROM sales WHERE region = 'north/east' AND day > DATE'2025-12-31' ORDER BY id;
--> 1
--> 2
UPDATE sales SET region = 'south' WHERE region IS NULL;
DELETE FROM sales WHERE id = 1;
SELECT * FROM sales ORDER BY id;
--> 2 | north/east | 2026-01-01
--> 3 | south | 2026-01-02
CALL lake.add_data_files('sales', '{folder}/in', hive_partitioning => false);
--! Column "region" exists in table "sales" but was not found in file
CALL lake.add_data_files('sales', '{folder}/in', hive_partitioning => false, allow_missing => true, allow_duplicates => true);
SELECT id, region, day FROM sales WHERE day IS NULL ORDER BY id;
--> 1 | NULL | NULL
--> 2 | NULL | NULL
--> 3 | NULL | NULL
CREATE TABLE numbers (id BIGINT, day INTEGER);
CALL lake.add_data_files('numbers', '{folder}/in/*/day=2026-01-01/*.parquet');
--! Unable to cast '2026-01-01' (from hive partition column 'day') to: 'INTEGER'
