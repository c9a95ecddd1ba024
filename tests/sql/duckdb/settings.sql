-- settings of DuckDB are honoured or refused
-- dialect: duckdb
-- backend: sqlite
SET threads = 4;
PRAGMA memory_limit = '1GB';
SET default_null_order = 'nulls_last';
SET TimeZone = 'Asia/Tokyo';
SELECT CAST(TIMESTAMPTZ '2024-01-01 00:00:00+00' AS VARCHAR) AS t;
--> 2024-01-01 09:00:00+09
SET TimeZone = 'UTC';
SET integer_division = true;
--! Spark would return other results
SET default_null_order = 'nulls_first';
--! Spark would return other results
PRAGMA default_order = 'DESC';
--! Spark would return other results
SET default_collation = NOCASE;
--! Spark would return other results
PRAGMA table_info('t');
--! PRAGMA table_info is not supported
SET thread = 4;
--! Did you mean
