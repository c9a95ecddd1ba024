-- what changed between two versions
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
UPDATE t SET v = 'c' WHERE id = 1;
DELETE FROM t WHERE id = 2;
SELECT snapshot_id, rowid, change_type, id, v FROM lake.table_changes('t', {v1}, {v4}) ORDER BY 1, 2, 3 DESC;
--> {v2} | 0 | insert | 1 | a
--> {v2} | 1 | insert | 2 | b
--> {v3} | 0 | update_preimage | 1 | a
--> {v3} | 0 | update_postimage | 1 | c
--> {v4} | 1 | delete | 2 | b
SELECT * FROM lake.table_insertions('t', {v2}, {v3}) ORDER BY id, v;
--> 1 | a
--> 1 | c
--> 2 | b
SELECT v FROM ducklake_table_deletions('lake', 'main', 't', {v3}, {v4}) ORDER BY v;
--> a
--> b
SELECT change_type, count(*) FROM ducklake_table_changes('lake', 'main', 't', {v1}, {v4}) GROUP BY change_type ORDER BY 1;
--> delete | 1
--> insert | 2
--> update_postimage | 1
--> update_preimage | 1
SELECT c.v, t.v FROM lake.table_changes('t', {v3}, {v3}) c JOIN t ON c.id = t.id WHERE c.change_type = 'update_preimage';
--> a | c
SELECT * FROM lake.table_changes('t', {v2}, 99);
--! No snapshot found at version 99
SELECT * FROM lake.table_changes('nothing', {v2}, {v3});
--! nothing
CREATE VIEW w AS SELECT 1 AS x;
SELECT * FROM lake.table_changes('w', {v2}, {v3});
--! w
