-- compaction of a table, a schema or the whole catalog; the option auto_compact is for tables that nobody has named
CREATE SCHEMA s;
CREATE TABLE t (id BIGINT);
CREATE TABLE s.t (id BIGINT);
CREATE TABLE s.quiet (id BIGINT);
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
INSERT INTO s.t VALUES (1);
INSERT INTO s.t VALUES (2);
INSERT INTO s.quiet VALUES (1);
INSERT INTO s.quiet VALUES (2);
CALL lake.set_option('auto_compact', false, schema => 's', table_name => 'quiet');
CALL lake.merge_adjacent_files(schema => 's');
--> s | t | 2 | 1
CALL lake.merge_adjacent_files();
--> main | t | 2 | 1
CALL lake.s.merge_adjacent_files('quiet');
--> s | quiet | 2 | 1
CALL ducklake_merge_adjacent_files('lake', 't', schema => 's');
--> (none)
CALL lake.merge_adjacent_files(schema => 'nothing');
--! nothing
CALL lake.merge_adjacent_files(min_file_size => NULL);
--! non-null integer
BEGIN;
INSERT INTO t VALUES (3);
INSERT INTO s.t VALUES (3);
COMMIT;
BEGIN;
CALL lake.merge_adjacent_files();
--> main | t | 2 | 1
--> s | t | 2 | 1
INSERT INTO t VALUES (4);
--! either make changes OR perform compaction - not both
ROLLBACK;
SELECT count(*) FROM t;
--> 3
