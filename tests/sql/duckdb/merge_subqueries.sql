-- conditions and values of MERGE see our tables
-- dialect: duckdb
-- oracle: yes
-- backend: sqlite
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE TABLE u (id BIGINT, v VARCHAR);
INSERT INTO u VALUES (1, 'x'), (2, 'y'), (4, 'z'), (5, 'w');
CREATE TABLE allowed (id BIGINT, note VARCHAR);
INSERT INTO allowed VALUES (1, 'one'), (4, 'four');
MERGE INTO t USING u ON t.id = u.id AND t.id <= (SELECT max(id) FROM allowed)
WHEN MATCHED AND t.id = (SELECT min(id) FROM allowed) THEN UPDATE SET v = (SELECT max(note[1:3]) FROM allowed WHERE note LIKE 'o%')
WHEN NOT MATCHED AND u.id = (SELECT max(id) FROM allowed) THEN INSERT (id, v) VALUES (u.id, (SELECT min(note) FROM allowed));
SELECT * FROM t ORDER BY id;
--> 1 | one
--> 2 | b
--> 3 | c
--> 4 | four
MERGE INTO t USING u ON t.rowid = u.id - 1 AND u.id = 2 WHEN MATCHED THEN DELETE;
SELECT id FROM t ORDER BY id;
--> 1
--> 3
--> 4
