-- conditions and values of MERGE see our tables
-- backend: sqlite
CREATE TABLE t (id BIGINT, v STRING);
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE TABLE u (id BIGINT, v STRING);
INSERT INTO u VALUES (1, 'x'), (2, 'y'), (4, 'z'), (5, 'w');
CREATE TABLE allowed (id BIGINT, note STRING);
INSERT INTO allowed VALUES (1, 'one'), (4, 'four');
CREATE VIEW seen AS SELECT id FROM allowed;
MERGE INTO t USING u ON t.id = u.id AND t.id <= (SELECT max(id) FROM t)
WHEN MATCHED AND u.id IN (SELECT id FROM seen) THEN UPDATE SET v = (SELECT max(note) FROM allowed WHERE allowed.id = u.id)
WHEN MATCHED AND NOT EXISTS (SELECT 1 FROM allowed WHERE allowed.id = t.id) THEN DELETE
WHEN NOT MATCHED AND u.id IN (SELECT id FROM allowed) THEN INSERT (id, v) VALUES (u.id, (SELECT max(note) FROM allowed a WHERE a.id = u.id));
SELECT * FROM t ORDER BY id;
--> 1 | one
--> 3 | c
--> 4 | four
MERGE INTO t USING u ON t.rowid = u.id - 1 AND u.id = 1 WHEN MATCHED THEN UPDATE SET v = to_json(struct(t.*)) || to_json(struct(u.*));
SELECT * FROM t WHERE rowid = 0;
--> 1 | {"id":1,"v":"one"}{"id":1,"v":"x"}
MERGE INTO t USING u ON t.id = u.id AND u.id IN (SELECT id FROM nowhere) WHEN MATCHED THEN DELETE;
--! 'nowhere' does not exist
MERGE INTO t USING (SELECT 9 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (9, (SELECT concat_ws('', sort_array(collect_list(note))) FROM (WITH c AS (SELECT note FROM allowed) SELECT * FROM c)));
SELECT v FROM t WHERE id = 9;
--> fourone
