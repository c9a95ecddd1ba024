-- a commit can say who made it and why, and a catalog can ask for it
-- oracle: yes
CREATE TABLE t (id BIGINT);
BEGIN;
INSERT INTO t VALUES (1);
CALL lake.set_commit_message('me', 'it''s; the --first', extra_info => '{"a": 1}');
COMMIT;
SELECT author, commit_message, commit_extra_info FROM lake.snapshots() WHERE snapshot_id = {v2};
--> me | it's; the --first | {"a": 1}
CALL lake.set_option('require_commit_message', true);
INSERT INTO t VALUES (2);
--! Commit Information for the snapshot is required but has not been provided.
BEGIN;
INSERT INTO t VALUES (2);
CALL ducklake_set_commit_message('lake', 'me', 'again');
COMMIT;
SELECT count(*) FROM t;
--> 2
