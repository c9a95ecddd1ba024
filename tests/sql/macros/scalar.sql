-- macros of values: arguments, defaults, overloads, macros in macros
-- oracle: yes
CREATE MACRO plus_one(x) AS x + 1;
SELECT plus_one(1), plus_one(2 * 3), 2 * plus_one(1);
--> 2 | 7 | 4
CREATE MACRO plus_one(x) AS x;
--! already exists
CREATE OR REPLACE MACRO plus_one(x) AS x + 1.5;
SELECT CAST(plus_one(1) AS DOUBLE);
--> 2.5
CREATE MACRO with_tax(amount, rate := 0.5) AS CAST(amount * (1 + rate) AS DOUBLE);
SELECT with_tax(10), with_tax(10, rate := 0.1), with_tax(2 + 2);
--> 15.0 | 11.0 | 6.0
CREATE MACRO area(a) AS a * a, (a, b) AS a * b;
SELECT area(3), area(3, 4);
--> 9 | 12
SELECT area(1, 2, 3);
--! area
CREATE MACRO twice_area(a) AS 2 * area(a + 1);
SELECT twice_area(1);
--> 8
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1), (2);
SELECT area(id) FROM t WHERE area(id) > 1 GROUP BY area(id) ORDER BY area(id);
--> 4
DROP MACRO area;
SELECT area(1);
--! area
DROP MACRO area;
--! area
DROP MACRO IF EXISTS area;
CREATE MACRO difference(a, b) AS a - b;
SELECT difference(5, 3), difference(b => 3, a => 5), difference(5, b => 3);
--> 2 | 2 | 2
SELECT difference(1, a => 2);
--! its parameter 'a' twice
SELECT difference(a => 1, a => 2);
--! its parameter 'a' twice
