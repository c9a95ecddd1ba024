-- a product of a DOUBLE and a decimal is a DOUBLE, beside a FLOAT too
-- dialect: duckdb
-- oracle: yes
CREATE TABLE d (x DOUBLE, n DECIMAL(5,2), f FLOAT);
INSERT INTO d VALUES (1.0, 1.10, 1.5), (NULL, 2.20, 0.1);
SELECT coalesce(x * 1.1, 1.5::FLOAT), coalesce(x + n, f), CASE WHEN x > 0 THEN x - 0.9 ELSE f END FROM d ORDER BY n;
--> 1.1 | 2.1 | 0.09999999999999998
--> 1.5 | 0.10000000149011612 | 0.10000000149011612
SELECT coalesce(n * 1.5, f), greatest(x * n, f), [x * 1.1, f] FROM d WHERE n < 2;
--> 1.649999976158142 | 1.5 | [1.1, 1.5]
