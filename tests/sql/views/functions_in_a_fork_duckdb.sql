-- views and macros over functions and metadata read the catalog they are read in, whatever it is attached as
-- dialect: duckdb
CREATE SCHEMA s;
CREATE TABLE t (id BIGINT);
CREATE TABLE s.t (id BIGINT);
INSERT INTO t VALUES (1);
INSERT INTO s.t VALUES (100);
CREATE VIEW changed AS SELECT id, change_type FROM lake.table_changes('t', TIMESTAMP '2000-01-01 00:00:00', TIMESTAMP '2200-01-01 00:00:00');
CREATE VIEW inserted AS SELECT * FROM ducklake_table_insertions('lake', 'main', 't', TIMESTAMP '2000-01-01 00:00:00', TIMESTAMP '2200-01-01 00:00:00');
CREATE VIEW named AS SELECT i.id FROM ducklake_table_insertions(catalog => 'lake', schema => 's', table_name => 't', start_snapshot => TIMESTAMP '2000-01-01 00:00:00', end_snapshot => TIMESTAMP '2200-01-01 00:00:00') i;
CREATE VIEW history AS SELECT max(ducklake_snapshots.snapshot_id) AS newest FROM ducklake_snapshots('lake');
CREATE VIEW short_history AS SELECT max(snapshot_id) AS newest FROM lake.snapshots();
CREATE VIEW here AS SELECT id FROM lake.current_snapshot();
CREATE VIEW files AS SELECT count(*) AS n FROM ducklake_list_files('lake', 't');
CREATE VIEW metadata AS SELECT max(ducklake_snapshot.snapshot_id) AS newest FROM __ducklake_metadata_lake.ducklake_snapshot;
CREATE VIEW below AS SELECT count(*) AS n FROM changed, history;
CREATE MACRO changes_since(v) AS TABLE SELECT id FROM lake.table_changes('t', v, TIMESTAMP '2200-01-01 00:00:00');
CREATE MACRO newest() AS (SELECT max(snapshot_id) FROM ducklake_snapshots('lake'));
CREATE MACRO twice_newest() AS 2 * lake.newest();
CREATE VIEW by_macro AS SELECT id, newest() AS newest FROM changes_since(TIMESTAMP '2000-01-01 00:00:00');
USE lake.s;
CREATE VIEW lake.main.from_s AS SELECT id FROM lake.table_insertions('t', TIMESTAMP '2000-01-01 00:00:00', TIMESTAMP '2200-01-01 00:00:00');
USE lake.main;
FORK CATALOG lake AS agent;
ATTACH '{target}' AS mine (CATALOG 'agent'{schema});
INSERT INTO mine.t VALUES (2);
INSERT INTO mine.s.t VALUES (200);
FORK CATALOG mine AS inner_agent;
ATTACH '{target}' AS deep (CATALOG 'inner_agent'{schema});
INSERT INTO deep.t VALUES (3);
INSERT INTO t VALUES (-1);
SELECT id, change_type FROM mine.changed ORDER BY id;
--> 1 | insert
--> 2 | insert
SELECT id FROM deep.changed ORDER BY id;
--> 1
--> 2
--> 3
SELECT id FROM changed ORDER BY id;
--> -1
--> 1
SELECT * FROM mine.inserted ORDER BY id;
--> 1
--> 2
SELECT * FROM mine.named ORDER BY id;
--> 100
--> 200
SELECT * FROM mine.from_s ORDER BY id;
--> 100
--> 200
SELECT h.newest = c.id, m.newest = c.id, s.newest = c.id FROM mine.history h, mine.here c, mine.metadata m, mine.short_history s;
--> true | true | true
SELECT a.newest < b.newest, b.newest < c.newest FROM mine.history a, deep.history b, history c;
--> true | true
SELECT n FROM mine.below;
--> 2
SELECT id, newest = (SELECT newest FROM mine.history) FROM mine.by_macro ORDER BY id;
--> 1 | true
--> 2 | true
SELECT id FROM deep.changes_since(TIMESTAMP '2000-01-01 00:00:00') ORDER BY id;
--> 1
--> 2
--> 3
SELECT mine.twice_newest() = 2 * newest FROM mine.history;
--> true
USE mine;
DETACH lake;
SELECT id FROM changed ORDER BY id;
--> 1
--> 2
SELECT id FROM by_macro ORDER BY id;
--> 1
--> 2
ATTACH '{target}' AS lake (CATALOG 'inner_agent'{schema});
SELECT id FROM changed ORDER BY id;
--> 1
--> 2
SELECT count(*) FROM mine.by_macro;
--> 2
