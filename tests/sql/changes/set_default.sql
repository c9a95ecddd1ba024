-- columns set to what they have when nothing is given for them
-- backend: sqlite
CREATE TABLE t (id INT, a INT DEFAULT 7, b TIMESTAMP DEFAULT now(), c STRING);
INSERT INTO t VALUES (1, 1, NULL, 'x'), (2, 2, NULL, 'y');
UPDATE t SET a = DEFAULT, b = DEFAULT, c = DEFAULT WHERE id = 1;
--> 1
UPDATE t SET c = upper(c), a = default WHERE id = 2;
--> 1
SELECT id, a, b IS NULL, c FROM t ORDER BY id;
--> 1 | 7 | false | NULL
--> 2 | 7 | true | Y
UPDATE t SET nothing = DEFAULT;
--! no column 'nothing'
MERGE INTO t USING (SELECT explode(array(2, 3)) AS id) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET c = DEFAULT, a = 9 WHEN NOT MATCHED THEN INSERT (id, a, c) VALUES (s.id, DEFAULT, 'z');
--> 2
SELECT id, a, c FROM t ORDER BY id;
--> 1 | 7 | NULL
--> 2 | 9 | NULL
--> 3 | 7 | z
SET forklake_shortcuts = false;
INSERT INTO t (id, a) VALUES (4, DEFAULT), (5, 5);
SELECT id, a, b IS NULL FROM t WHERE id > 3 ORDER BY id;
--> 4 | 7 | false
--> 5 | 5 | false
ALTER TABLE t ALTER COLUMN a SET NOT NULL;
ALTER TABLE t ALTER COLUMN a DROP DEFAULT;
UPDATE t SET a = DEFAULT;
--! NOT NULL
