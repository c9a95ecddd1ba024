-- how new rows are laid out can change at any time
-- oracle: yes
CREATE TABLE t (id BIGINT, day DATE);
INSERT INTO t VALUES (1, DATE '2025-01-01');
ALTER TABLE t SET PARTITIONED BY (year(day));
INSERT INTO t VALUES (2, DATE '2025-06-01'), (3, DATE '2026-06-01');
SELECT id FROM t WHERE day < DATE '2026-01-01' ORDER BY id;
--> 1
--> 2
ALTER TABLE t SET PARTITIONED BY (nothing);
--! nothing
ALTER TABLE t DROP COLUMN day;
--! partitioned by this column
ALTER TABLE t RESET PARTITIONED BY;
ALTER TABLE t SET SORTED BY (id DESC NULLS LAST, day ASC);
INSERT INTO t VALUES (4, NULL), (NULL, DATE '2024-01-01');
ALTER TABLE t DROP COLUMN id;
--! sorted by this column
ALTER TABLE t SET SORTED BY (nothing);
--! nothing
ALTER TABLE t RESET SORTED BY;
ALTER TABLE t DROP COLUMN day;
SELECT count(*) FROM t;
--> 5
