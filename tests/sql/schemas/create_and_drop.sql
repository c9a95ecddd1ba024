-- schemas hold tables, views and macros, and go with them only when told to
-- oracle: yes
CREATE SCHEMA s;
CREATE SCHEMA s;
--! already exists
CREATE SCHEMA IF NOT EXISTS s;
CREATE TABLE s.t (id BIGINT);
INSERT INTO s.t VALUES (1);
CREATE VIEW s.v AS SELECT id FROM s.t;
SELECT id FROM s.v;
--> 1
CREATE TABLE main.t (id BIGINT);
SELECT count(*) FROM t;
--> 0
DROP SCHEMA s;
--! Cannot drop schema "s" because there are entries that depend on it
DROP SCHEMA s CASCADE;
SELECT * FROM s.t;
--! s
DROP SCHEMA s;
--! Schema 's' not found
DROP SCHEMA IF EXISTS s;
CREATE TABLE s.t (id BIGINT);
--! s
