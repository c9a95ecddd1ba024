-- settings of ours and of Spark
-- backend: sqlite
SET ducklake_max_retry_count = 3;
SHOW SETTINGS;
--> ducklake_max_retry_count | 3 | 10
--> ducklake_retry_backoff | 1.5 | 1.5
--> ducklake_retry_wait_ms | 100 | 100
--> forklake_shortcuts | true | true
--> forklake_small_queries | auto | auto
--> forklake_small_query_bytes | 16777216 | 16777216
RESET ducklake_max_retry_count;
SET ducklake_max_retry_cont = 3;
--! Did you mean 'ducklake_max_retry_count'?
SET forklake_shortcuts = 'maybe';
--! must be true or false
SET forklake_shortcut = false;
--! Did you mean 'forklake_shortcuts'?
SET forklake_shortcuts = false;
SHOW SETTINGS;
--> ducklake_max_retry_count | 10 | 10
--> ducklake_retry_backoff | 1.5 | 1.5
--> ducklake_retry_wait_ms | 100 | 100
--> forklake_shortcuts | false | true
--> forklake_small_queries | auto | auto
--> forklake_small_query_bytes | 16777216 | 16777216
RESET forklake_shortcuts;
SET ducklake_retry_wait_ms = 'soon';
--! must be a number
SET spark.sql.ansi.enabled = true;
SET SESSION spark.forklake.test TO 'x';
RESET spark.forklake.test;
SET spark.sql.session.timeZone = America/New_York;
SELECT current_timezone();
--> America/New_York
SET spark.sql.session.timeZone = +02:00 -- as in summer
;
SELECT current_timezone();
--> +02:00
SET spark.sql.session.timeZone = `Europe/Berlin`;
SELECT current_timezone();
--> Europe/Berlin
SET spark.sql.session.timeZone = "Asia/Tokyo";
SELECT current_timezone();
--> Asia/Tokyo
SET spark.sql.session.timeZone = nowhere;
--! INVALID_CONF_VALUE
SET spark.sql.session.timeZone = 'UTC';
SELECT current_timezone();
--> UTC
INSTALL ducklake;
LOAD ducklake;
