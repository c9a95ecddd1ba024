-- views and macros name what is in their own catalog, and nothing else
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1);
ATTACH '{target}' AS other (CATALOG 'other', CREATE_IF_NOT_EXISTS true{schema});
CREATE TABLE other.u (id BIGINT);
CREATE TABLE other.t (id BIGINT);
CREATE MACRO other.m(x) AS x + 1;
CREATE VIEW v AS SELECT * FROM other.u;
--! attached as 'other'
CREATE VIEW v AS SELECT * FROM other.main.u;
--! attached as 'other'
CREATE VIEW v AS SELECT * FROM t WHERE id IN (SELECT id FROM other.u);
--! attached as 'other'
CREATE VIEW v AS SELECT * FROM other.snapshots();
--! attached as 'other'
CREATE VIEW v AS SELECT * FROM ducklake_snapshots('other');
--! attached as 'other'
CREATE VIEW v AS SELECT * FROM __ducklake_metadata_other.ducklake_table;
--! attached as 'other'
CREATE VIEW v AS SELECT other.m(1) AS x;
--! attached as 'other'
CREATE VIEW other.v AS SELECT * FROM t;
--! attached as 'lake'
CREATE MACRO n(x) AS TABLE SELECT * FROM other.u WHERE id = x;
--! attached as 'other'
CREATE MACRO n(x) AS x + (SELECT count(*) FROM other.main.u);
--! attached as 'other'
CREATE MACRO n(x := (SELECT 1)) AS x;
--! cannot contain subqueries
CREATE VIEW v AS SELECT * FROM ducklake_expire_snapshots('lake');
--! changes something
CREATE MACRO n() AS TABLE SELECT * FROM lake.expire_snapshots();
--! changes something
CREATE VIEW v AS SELECT * FROM nobody.main.t;
--! does not exist
CREATE VIEW v AS SELECT * FROM t;
ALTER TABLE t RENAME TO gone;
ATTACH '{target}' AS main (CATALOG 'other'{schema});
SELECT * FROM v;
--! does not exist
USE other;
SELECT * FROM lake.v;
--! does not exist
CREATE TABLE later (id BIGINT);
CREATE MACRO lake.n() AS TABLE SELECT * FROM lake.later;
SELECT * FROM lake.n();
--! does not exist
CREATE TABLE lake.later (id BIGINT);
INSERT INTO lake.later VALUES (7);
SELECT * FROM lake.n();
--> 7
