-- a secret holds where a lake is
-- backend: sqlite
CREATE SECRET my_lake (TYPE ducklake, METADATA_PATH '{target}', CATALOG 'main');
CREATE SECRET my_lake (TYPE ducklake, METADATA_PATH '{target}');
--! Secret "my_lake" already exists
CREATE SECRET IF NOT EXISTS my_lake (TYPE ducklake, METADATA_PATH 'elsewhere');
CREATE TABLE t (id BIGINT);
ATTACH 'ducklake:my_lake' AS again;
SHOW TABLES FROM again;
--> t
ATTACH 'ducklake:my_lake' AS fresh (CATALOG 'fresh', CREATE_IF_NOT_EXISTS true);
SHOW TABLES FROM fresh;
--> (none)
CREATE OR REPLACE SECRET (TYPE ducklake, METADATA_PATH '{target}', CATALOG 'fresh');
ATTACH 'ducklake:' AS unnamed;
ATTACH 'ducklake:no_such' AS x (CATALOG 'main');
--! Secret "no_such" was not found
DROP SECRET my_lake;
DROP SECRET my_lake;
--! was not found
DROP SECRET IF EXISTS my_lake;
CREATE SECRET s (TYPE s3, KEY_ID 'x');
--! Only secrets of TYPE ducklake are supported
CREATE SECRET s (TYPE ducklake);
--! metadata_path must be defined
