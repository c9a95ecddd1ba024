-- a struct has the name of its table, and its fields are named like columns, or not
-- dialect: duckdb
-- oracle: yes
CREATE TABLE pens (k INTEGER, pens STRUCT(k INTEGER, b VARCHAR), name VARCHAR);
INSERT INTO pens VALUES (1, {'k': 2, 'b': 'x'}, 'abc');
SELECT pens.k, pens.b || name[1:2], pens.pens.k, pens.pens.b[1:1] FROM pens;
--> 1 | xab | 2 | x
