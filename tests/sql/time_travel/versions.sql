-- a table is read as it was, in every spelling, and joined with itself
CREATE TABLE t (id BIGINT, v VARCHAR);
INSERT INTO t VALUES (1, 'old');
UPDATE t SET v = 'new';
SELECT v FROM t AT (VERSION => 3);
--> old
SELECT v FROM t AT SNAPSHOT 3;
--> old
SELECT v FROM t VERSION AS OF 3;
--> old
SELECT v FROM t AT (TIMESTAMP => now());
--> new
SELECT a.v, b.v FROM t a JOIN t AT (VERSION => 3) b ON a.id = b.id;
--> new | old
SELECT a.v, b.v FROM t a JOIN t b AT (VERSION => 3) ON a.id = b.id;
--> new | old
SELECT a.v, b.v FROM t a JOIN t VERSION AS OF 3 AS b ON a.id = b.id;
--> new | old
SELECT v FROM t AT (VERSION => 99);
--! No snapshot found at version 99
SELECT v FROM t AT (VERSION => 1);
--! does not exist in catalog 'main' at version 1
