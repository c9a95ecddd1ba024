-- what is attached can be chosen and let go
-- backend: sqlite
ATTACH '{target}' AS other (CATALOG 'other', CREATE_IF_NOT_EXISTS true);
CREATE TABLE here (id BIGINT);
CREATE SCHEMA lake.inner_one;
USE other;
CREATE TABLE there (id BIGINT);
SHOW TABLES;
--> there
USE lake.inner_one;
CREATE TABLE deep (id BIGINT);
SHOW TABLES;
--> deep
USE main;
SHOW TABLES;
--> here
USE nowhere;
--! 'nowhere'
DETACH othr;
--! Did you mean 'other'?
DETACH other;
DETACH IF EXISTS other;
SELECT * FROM other.there;
--! other.there
DETACH lake;
SELECT * FROM here;
--! here
CREATE TABLE t (id BIGINT);
--! No catalog is in use
