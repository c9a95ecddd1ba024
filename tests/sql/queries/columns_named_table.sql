-- a column may be called table
-- backend: sqlite
CREATE TABLE tb (id INT, `table` STRING);
INSERT INTO tb VALUES (1, 'a'), (2, NULL);
SELECT table FROM tb WHERE table IS NOT NULL;
--> a
SELECT tb.table AS z FROM tb ORDER BY table DESC NULLS LAST;
--> a
--> NULL
SELECT 1 AS table FROM tb WHERE id = 1;
--> 1
