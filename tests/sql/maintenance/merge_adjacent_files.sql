-- small files become one, and nothing that can be read changes
-- dialect: duckdb
-- oracle: yes
CREATE TABLE t (id BIGINT, item VARCHAR);
INSERT INTO t VALUES (0, 'a'), (1, 'a'), (2, 'a'), (3, 'a'), (4, 'a'), (5, 'a'), (6, 'a'), (7, 'a'), (8, 'a'), (9, 'a'), (10, 'a'), (11, 'a');
INSERT INTO t VALUES (12, 'b'), (13, 'b'), (14, 'b'), (15, 'b'), (16, 'b'), (17, 'b'), (18, 'b'), (19, 'b'), (20, 'b'), (21, 'b'), (22, 'b'), (23, 'b');
INSERT INTO t VALUES (24, 'c'), (25, 'c'), (26, 'c'), (27, 'c'), (28, 'c'), (29, 'c'), (30, 'c'), (31, 'c'), (32, 'c'), (33, 'c'), (34, 'c'), (35, 'c');
CALL ducklake_merge_adjacent_files('lake', 't', max_file_size => 1);
--> (none)
CALL ducklake_merge_adjacent_files('lake', 't');
--> main | t | 3 | 1
CALL ducklake_merge_adjacent_files('lake', 't');
--> (none)
SELECT count(*), count(DISTINCT rowid), min(rowid), max(rowid) FROM t;
--> 36 | 36 | 0 | 35
SELECT rowid, id, item, snapshot_id = {v3} FROM t WHERE id IN (0, 12, 35) ORDER BY id;
--> 0 | 0 | a | false
--> 12 | 12 | b | true
--> 35 | 35 | c | false
SELECT count(*), max(item) FROM t AT (VERSION => {v3});
--> 24 | b
SELECT count(*) FROM ducklake_table_changes('lake', 'main', 't', {v5}, {v5});
--> 0
SELECT min(id), max(id), count(*) FROM ducklake_table_insertions('lake', 'main', 't', {v3}, {v5});
--> 12 | 35 | 24
INSERT INTO t VALUES (36, 'd'), (37, 'd'), (38, 'd'), (39, 'd'), (40, 'd'), (41, 'd'), (42, 'd'), (43, 'd'), (44, 'd'), (45, 'd'), (46, 'd'), (47, 'd');
DELETE FROM t WHERE id = 3;
-- A file with deleted rows is left alone.
CALL ducklake_merge_adjacent_files('lake', 't');
--> (none)
CREATE TABLE p (k INT, id BIGINT);
ALTER TABLE p SET PARTITIONED BY (k);
INSERT INTO p VALUES (0, 0), (1, 1), (2, 2), (0, 3), (1, 4), (2, 5), (0, 6), (1, 7), (2, 8), (0, 9), (1, 10), (2, 11), (0, 12), (1, 13), (2, 14), (0, 15), (1, 16), (2, 17), (0, 18), (1, 19), (2, 20), (0, 21), (1, 22), (2, 23), (0, 24), (1, 25), (2, 26), (0, 27), (1, 28), (2, 29), (0, 30), (1, 31), (2, 32), (0, 33), (1, 34), (2, 35);
INSERT INTO p VALUES (0, 0), (1, 1), (2, 2), (0, 3), (1, 4), (2, 5), (0, 6), (1, 7), (2, 8), (0, 9), (1, 10), (2, 11), (0, 12), (1, 13), (2, 14), (0, 15), (1, 16), (2, 17), (0, 18), (1, 19), (2, 20), (0, 21), (1, 22), (2, 23), (0, 24), (1, 25), (2, 26), (0, 27), (1, 28), (2, 29), (0, 30), (1, 31), (2, 32), (0, 33), (1, 34), (2, 35);
CALL ducklake_merge_adjacent_files('lake', max_compacted_files => 2);
--> main | p | 2 | 1
--> main | p | 2 | 1
CALL ducklake_merge_adjacent_files('lake');
--> main | p | 2 | 1
SELECT k, count(*), count(DISTINCT rowid) FROM p GROUP BY k ORDER BY k;
--> 0 | 24 | 24
--> 1 | 24 | 24
--> 2 | 24 | 24
CALL ducklake_merge_adjacent_files('lake', 't', max_compacted_files => 0);
--! max_compacted_files option must be greater than zero
CALL ducklake_merge_adjacent_files('lake', 't', min_file_size => 10, max_file_size => 10);
--! min_file_size must be less than max_file_size
CALL ducklake_merge_adjacent_files('lake', 'nothing');
--! nothing
