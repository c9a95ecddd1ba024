-- catalogs are forked, listed and dropped
FORK CATALOG lake AS a;
FORK CATALOG lake AS a;
--! already exists
FORK CATALOG lake AS IF NOT EXISTS a;
FORK CATALOG a AS b;
SELECT catalog_name, created FROM ducklake_fork_catalog('lake', 'c', if_not_exists => true);
--> c | true
SELECT ducklake_fork_catalog('lake', 'd');
SELECT catalog_name FROM lake.catalogs() ORDER BY catalog_name;
--> a
--> b
--> c
--> d
--> main
FORK CATALOG nothing AS x;
--! nothing
FORK CATALOG lake AS x AT (VERSION => 99);
--! No snapshot found at version 99
DROP CATALOG d;
DROP CATALOG d;
--! d
DROP CATALOG IF EXISTS d;
DROP CATALOG a;
SELECT catalog_name FROM lake.catalogs() ORDER BY catalog_name;
--> b
--> c
--> main
