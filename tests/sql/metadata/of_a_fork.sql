-- the metadata of a fork shows what it inherits
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1);
FORK CATALOG lake AS agent;
ATTACH '{target}' AS agent (CATALOG 'agent'{schema});
DROP TABLE lake.t;
CREATE TABLE agent.own (id BIGINT);
SELECT table_name FROM __ducklake_metadata_agent.ducklake_table WHERE end_snapshot IS NULL ORDER BY 1;
--> own
--> t
SELECT table_name FROM __ducklake_metadata_lake.ducklake_table WHERE end_snapshot IS NULL;
--> (none)
SELECT count(*) FROM __ducklake_metadata_agent.ducklake_data_file;
--> 1
