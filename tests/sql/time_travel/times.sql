-- a table as it was at a time, however the time is written
-- backend: sqlite
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1);
SELECT count(*) FROM t AT (TIMESTAMP => now());
--> 1
SELECT count(*) FROM t TIMESTAMP AS OF now();
--! 
SELECT count(*) FROM t AT TIMESTAMP '2999-01-01';
--> 1
SELECT count(*) FROM t AT (TIMESTAMP => TIMESTAMP '2999-01-01 12:00:00');
--> 1
SELECT count(*) FROM t TIMESTAMP AS OF '2999-01-01' x WHERE x.id > 0;
--> 1
SELECT count(*) FROM t FOR SYSTEM_TIME AS OF '2999-01-01';
--> 1
SELECT count(*) FROM t FOR VERSION AS OF {v1};
--> 0
SELECT count(*) FROM t AT (TIMESTAMP => now() - INTERVAL '1 day');
--! No snapshot found at timestamp
SELECT count(*) FROM t AT (TIMESTAMP => 'yesterday');
--! 'yesterday' is not a time
SELECT count(*) FROM t AT (VERSION => 'one');
--! is not a version
SELECT count(*) FROM t AT (COLOUR => 1);
--! Expected TIMESTAMP
