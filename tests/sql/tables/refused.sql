-- what tables cannot have is refused by name
-- oracle: yes
CREATE TABLE t (id BIGINT PRIMARY KEY);
--! PRIMARY KEY/UNIQUE constraints are not supported in DuckLake
CREATE TABLE t (id BIGINT UNIQUE);
--! PRIMARY KEY/UNIQUE constraints are not supported in DuckLake
CREATE TABLE t (id BIGINT, PRIMARY KEY (id));
--! PRIMARY KEY/UNIQUE constraints are not supported in DuckLake
CREATE TABLE t (id BIGINT CHECK (id > 0));
--! CHECK constraints are not supported in DuckLake
CREATE TABLE t (id BIGINT, CHECK (id > 0));
--! CHECK constraints are not supported in DuckLake
CREATE TABLE t (id BIGINT REFERENCES u (id));
--! FOREIGN KEY constraints are not supported in DuckLake
CREATE TABLE t (id BIGINT, twice BIGINT GENERATED ALWAYS AS (id * 2));
--! DuckLake does not support generated columns
CREATE TABLE t (id BIGINT);
CREATE INDEX i ON t (id);
--! DuckLake does not support indexes
CREATE SEQUENCE s;
--! DuckLake does not support sequences
CREATE TYPE colour AS ENUM ('red');
--! DuckLake does not support user-defined types
CREATE TABLE u (x NOSUCHTYPE);
--! There is no column type "nosuchtype"
