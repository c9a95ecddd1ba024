-- catalogs of one lake side by side: each with names of its own, read together and copied between
ATTACH '{target}' AS other (CATALOG 'other', CREATE_IF_NOT_EXISTS true{schema});
CREATE TABLE lake.t (id BIGINT, v VARCHAR);
CREATE TABLE other.t (id BIGINT, w VARCHAR);
INSERT INTO lake.t VALUES (1, 'a'), (2, 'b');
INSERT INTO other.t VALUES (2, 'x'), (3, 'y');
SELECT l.id, v, w FROM lake.t l FULL JOIN other.main.t o ON l.id = o.id ORDER BY coalesce(l.id, o.id);
--> 1 | a | NULL
--> 2 | b | x
--> NULL | NULL | y
INSERT INTO other.t SELECT id + 10, v FROM lake.t;
--> 2
CREATE TABLE other.copied AS SELECT * FROM lake.t;
--> 2
DELETE FROM lake.t USING other.t o WHERE t.id = o.id;
--> 1
SELECT id FROM lake.t;
--> 1
BEGIN;
INSERT INTO lake.t VALUES (9, 'z');
INSERT INTO other.t VALUES (9, 'z');
--! a single transaction can only write to one attached catalog
ROLLBACK;
SELECT id FROM other.t ORDER BY id;
--> 2
--> 3
--> 11
--> 12
