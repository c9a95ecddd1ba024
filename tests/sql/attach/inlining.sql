-- DATA_INLINING_ROW_LIMIT keeps small statements out of files, for one attachment
ATTACH '{target}' AS small (CATALOG 'main', DATA_INLINING_ROW_LIMIT 3{schema});
CREATE TABLE t (id BIGINT);
INSERT INTO small.t VALUES (1), (2);
SELECT file_count FROM lake.table_info();
--> 0
INSERT INTO small.t VALUES (3), (4), (5), (6);
SELECT file_count FROM lake.table_info();
--> 1
SELECT id FROM lake.t ORDER BY id;
--> 1
--> 2
--> 3
--> 4
--> 5
--> 6
CREATE TABLE u (id BIGINT);
INSERT INTO small.u VALUES (1);
CALL lake.flush_inlined_data('u');
--> main | u | 1
CALL lake.flush_inlined_data();
--> main | t | 2
SELECT count(*) FROM t;
--> 6
