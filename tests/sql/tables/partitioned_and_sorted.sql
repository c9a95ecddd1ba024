-- tables are born partitioned and sorted
-- backend: sqlite
CREATE TABLE t (id BIGINT, day DATE, region VARCHAR) PARTITIONED BY (year(day), region) SORTED BY (id DESC);
INSERT INTO t SELECT id, DATE '2025-12-30' + CAST(id AS INT), if(id % 2 = 0, 'eu', 'us') FROM range(4);
--> 4
SELECT file_count FROM lake.table_info();
--> 4
SELECT id, day, region FROM t ORDER BY id;
--> 0 | 2025-12-30 | eu
--> 1 | 2025-12-31 | us
--> 2 | 2026-01-01 | eu
--> 3 | 2026-01-02 | us
SELECT id FROM t WHERE day >= DATE '2026-01-01' AND region = 'us';
--> 3
CREATE TABLE b (id BIGINT) PARTITIONED BY (bucket(4, id)) COMMENT 'in buckets';
CREATE TABLE bad (id BIGINT) PARTITIONED BY (bucket(0, id));
--! Bucket count must be positive
CREATE TABLE bad (id BIGINT) PARTITIONED BY (week(id));
--! Unsupported partition function week
CREATE TABLE bad (id BIGINT) PARTITIONED BY (nothing);
--! Unexpected partition key - column "nothing" does not exist
CREATE TABLE bad (id BIGINT) SORTED BY (nothing);
--! Columns in the SET SORTED BY statement were not found
CREATE TABLE old_spelling (day DATE) PARTITION BY (month(day));
CREATE TABLE spark_spelling (id BIGINT) USING parquet CLUSTER BY (id);
CREATE TABLE bad (id BIGINT) USING csv;
--! USING
