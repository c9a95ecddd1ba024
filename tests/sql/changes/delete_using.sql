-- rows are deleted that match rows of other tables
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
CREATE TABLE gone (id BIGINT);
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, NULL);
INSERT INTO gone VALUES (1), (3);
DELETE FROM t USING gone WHERE t.id = gone.id;
--> 2
SELECT id FROM t ORDER BY id;
--> 2
--> 4
DELETE FROM t AS x WHERE x.v IS NULL;
--> 1
DELETE FROM t WHERE nothing = 1;
--! nothing
DELETE FROM t;
--> 1
SELECT count(*) FROM t;
--> 0
