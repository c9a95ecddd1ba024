-- aggregates and functions of values that Spark reads otherwise
-- dialect: duckdb
-- oracle: yes
CREATE TABLE x (b BIGINT, k INTEGER, d DOUBLE, l VARCHAR[], bo BOOLEAN);
INSERT INTO x VALUES (9223372036854775807, 1, 1.5, ['a', NULL], true);
INSERT INTO x VALUES (-9223372036854775807, 1, 'inf'::DOUBLE, [NULL], NULL), (3, 2, '-inf'::DOUBLE, NULL, false);
SELECT avg(b), avg(k) FROM x;
--> 1.0 | 1.3333333333333333
SELECT k, avg(b) FILTER (WHERE b > 0) FROM x GROUP BY k ORDER BY k;
--> 1 | 9.223372036854776e+18
--> 2 | 3.0
SELECT k, avg(b) OVER (PARTITION BY k) FROM x ORDER BY ALL;
--> 1 | 0.0
--> 1 | 0.0
--> 2 | 3.0
SELECT avg(b) FROM x WHERE k = 7;
--> NULL
SELECT trunc(d) FROM x ORDER BY b;
--> inf
--> -inf
--> 1.0
SELECT array_to_string(l, ','), list_string_agg(l), list_bool_and([bo]) FROM x ORDER BY b;
--> NULL | NULL | NULL
--> NULL | NULL | false
--> a | a | true
SELECT array_intersect([3, NULL, 1], [3, NULL, 1]), array_slice([1, 2, 3], 2, NULL);
--> [3, 1] | NULL
SELECT epoch_ms(TIMESTAMP '1969-12-31 23:59:59.9995'), epoch_ms(TIMESTAMP '2020-01-01 00:00:00.5');
--> 0 | 1577836800500
