-- files with many deleted rows are written anew without them
-- dialect: duckdb
-- oracle: yes
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31), (32), (33), (34), (35), (36), (37), (38), (39);
INSERT INTO t VALUES (40), (41), (42), (43), (44), (45), (46), (47), (48), (49), (50), (51), (52), (53), (54), (55), (56), (57), (58), (59), (60), (61), (62), (63), (64), (65), (66), (67), (68), (69), (70), (71), (72), (73), (74), (75), (76), (77), (78), (79);
DELETE FROM t WHERE id < 30;
DELETE FROM t WHERE id BETWEEN 45 AND 60;
CALL ducklake_rewrite_data_files('lake', 't');
--> (none)
CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.7);
--> main | t | 1 | 1
CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.7);
--> (none)
SELECT min(rowid), max(rowid), sum(rowid), count(*) FROM t;
--> 30 | 79 | 1885 | 34
SELECT count(*) FROM t AT (VERSION => {v3});
--> 80
SELECT min(id), max(id), count(*) FROM ducklake_table_deletions('lake', 'main', 't', {v4}, {v5});
--> 0 | 60 | 46
CALL ducklake_rewrite_data_files('lake', delete_threshold => 0);
--> main | t | 1 | 1
CALL ducklake_rewrite_data_files('lake', delete_threshold => 1.5);
--! between 0 and 1
CALL ducklake_rewrite_data_files('lake', 'nothing');
--! nothing
