-- a row of nothing but defaults
-- oracle: yes
CREATE TABLE t (id BIGINT DEFAULT 5, d DATE DEFAULT DATE '2026-01-31', x DOUBLE);
INSERT INTO t DEFAULT VALUES;
SELECT * FROM t;
--> 5 | 2026-01-31 | NULL
CREATE TABLE strict (id BIGINT NOT NULL);
INSERT INTO strict DEFAULT VALUES;
--! NOT NULL constraint failed: strict.id
