-- tables are created once, or replaced
-- oracle: yes
CREATE TABLE t (id BIGINT, name VARCHAR);
CREATE TABLE t (id BIGINT);
--! Table with name "t" already exists!
CREATE TABLE T (id BIGINT);
--! already exists
CREATE TABLE IF NOT EXISTS t (other BIGINT);
INSERT INTO t VALUES (1, 'a');
SELECT * FROM t;
--> 1 | a
CREATE OR REPLACE TABLE t (day DATE, amount DECIMAL(10, 2));
SELECT * FROM t;
--> (none)
INSERT INTO t VALUES (DATE '2026-01-31', 12.5);
SELECT * FROM t;
--> 2026-01-31 | 12.50
SELECT id, name FROM t AT (VERSION => {v2});
--> 1 | a
DROP TABLE t;
DROP TABLE t;
--! t
DROP TABLE IF EXISTS t;
SELECT amount FROM t AT (VERSION => {v4});
--> 12.50
CREATE TABLE twice (id BIGINT, ID VARCHAR);
--! already exists
