-- a list whose type is not known to the translation is not put in order
-- dialect: duckdb
-- backend: sqlite
CREATE TABLE n (id INT, l INT[]);
INSERT INTO n VALUES (1, [1, 2]), (2, [NULL, 1]);
SELECT id FROM n ORDER BY list_reverse(l);
--! has another order in Spark
SELECT list_reverse(l) AS r FROM n ORDER BY ALL;
--! has another order in Spark
SELECT max(list_reverse(l)) FROM n;
--! has another order in Spark
SELECT id FROM n WHERE list_reverse(l) < array_append(l, 1);
--! has another order in Spark
