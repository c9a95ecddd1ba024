-- clauses that statements do not have
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a') RETURNING id;
--! RETURNING clause not yet supported for insertion into DuckLake table
UPDATE t SET id = 2 RETURNING id;
--! RETURNING clause not yet supported for updates of DuckLake table
DELETE FROM t WHERE id = 1 RETURNING id;
--! RETURNING clause not yet supported for deletion of DuckLake table
INSERT INTO t VALUES (1, 'a') ON CONFLICT DO NOTHING;
--! ON CONFLICT clause not yet supported
INSERT OR REPLACE INTO t VALUES (1, 'a');
--! ON CONFLICT clause not yet supported
CREATE VIEW w AS SELECT 1 AS id;
INSERT INTO w VALUES (1);
--! w
UPDATE w SET id = 1;
--! w
DELETE FROM w;
--! w
SELECT count(*) FROM t;
--> 0
