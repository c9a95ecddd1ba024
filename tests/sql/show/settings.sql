-- settings of ours and of Spark
-- backend: sqlite
SET ducklake_max_retry_count = 3;
SHOW SETTINGS;
--> ducklake_max_retry_count | 3 | 10
--> ducklake_retry_backoff | 1.5 | 1.5
--> ducklake_retry_wait_ms | 100 | 100
--> forklake_shortcuts | true | true
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
RESET forklake_shortcuts;
SET ducklake_retry_wait_ms = 'soon';
--! must be a number
SET spark.sql.ansi.enabled = true;
SET SESSION spark.forklake.test TO 'x';
RESET spark.forklake.test;
INSTALL ducklake;
LOAD ducklake;
