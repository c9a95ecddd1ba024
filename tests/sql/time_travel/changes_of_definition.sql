-- a version has the columns it had, in joins and in subqueries
-- oracle: yes
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'a');
ALTER TABLE t RENAME COLUMN v TO w;
ALTER TABLE t ADD COLUMN n INTEGER DEFAULT 7;
INSERT INTO t VALUES (2, 'b', 8);
SELECT * FROM t AT (VERSION => {v2});
--> 1 | a
SELECT * FROM t AT (VERSION => {v4});
--> 1 | a | 7
SELECT new.id, new.w, old.v FROM t new LEFT JOIN t AS old AT (VERSION => {v2}) ON new.id = old.id ORDER BY 1;
--> 1 | a | a
--> 2 | b | NULL
SELECT count(*) FROM t WHERE id NOT IN (SELECT id FROM t AT (VERSION => {v2}));
--> 1
SELECT w FROM t AT (VERSION => {v2});
--! w
INSERT INTO t SELECT id + 10, v, 0 FROM t AT (VERSION => {v2});
--> 1
SELECT id FROM t EXCEPT SELECT id FROM t AT (VERSION => {v5});
--> 11
