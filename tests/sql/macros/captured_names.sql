-- an argument is never taken for a name inside a macro
CREATE TABLE t (id BIGINT, l ARRAY<INT>, s STRUCT<a: INT>);
INSERT INTO t VALUES (1, array(1), named_struct('a', 7));
CREATE MACRO add_to_all(v) AS transform(array(1, 2), y -> y + v);
SELECT add_to_all(w.y), add_to_all(k) FROM (SELECT 10 AS y, 20 AS k) AS w;
--> [11, 12] | [21, 22]
SELECT add_to_all(y) FROM (SELECT 10 AS y) AS w;
--! could be taken for
SELECT add_to_all(2 * Y.k) FROM (SELECT 10 AS k) AS y;
--! could be taken for
SELECT add_to_all(v) FROM (SELECT 10 AS v) AS w;
--> [11, 12]
SELECT add_to_all(aggregate(transform(array(1), y -> y + 1), 0, (a, b) -> a + b));
--> [3, 4]
CREATE MACRO nested(v) AS transform(array(10), y -> add_to_all(y));
SELECT nested(1);
--! could be taken for
CREATE MACRO nested_well(v) AS transform(array(10), z -> add_to_all(z + v));
SELECT nested_well(1);
--> [[12, 13]]
CREATE MACRO in_field(v) AS transform(array(1, 2), y -> y + v.a);
SELECT in_field(y) FROM (SELECT named_struct('a', 10) AS y) AS w;
--! could be taken for
SELECT in_field(s) FROM t;
--> [8, 9]
CREATE MACRO deep_field(v) AS v.a.b;
SELECT deep_field(q) FROM (SELECT named_struct('a', named_struct('b', 1)) AS q, named_struct('a', named_struct('b', 2)) AS v) AS w;
--> 1
CREATE MACRO of_values(v) AS (SELECT count(*) FROM VALUES (1), (2) WHERE v > 50);
SELECT of_values(w.col1) FROM (SELECT 100 AS col1) AS w;
--> 2
SELECT of_values(col1) FROM (SELECT 100 AS col1) AS w;
--! could be taken for
CREATE MACRO of_named_values(v) AS (SELECT count(*) FROM VALUES (1), (2) AS q(a) WHERE v > 50);
SELECT of_named_values(col1) FROM (SELECT 100 AS col1) AS w;
--> 2
CREATE MACRO of_view(v) AS (SELECT count(*) FROM t LATERAL VIEW explode(l) q WHERE v > 50);
SELECT of_view(col) FROM (SELECT 100 AS col) AS w;
--! could be taken for
CREATE MACRO of_named_view(v) AS (SELECT count(*) FROM t LATERAL VIEW explode(l) q AS e WHERE v > 50);
SELECT of_named_view(col) FROM (SELECT 100 AS col) AS w;
--> 1
CREATE MACRO of_range(v) AS (SELECT count(*) FROM range(3) WHERE v > 50);
SELECT of_range(id) FROM (SELECT 100 AS id) AS w;
--! could be taken for
CREATE MACRO of_struct(v) AS (SELECT count(*) FROM (SELECT s.* FROM t) WHERE v > 50);
SELECT of_struct(a) FROM (SELECT 100 AS a) AS w;
--! could be taken for
CREATE MACRO of_table(v) AS (SELECT count(*) FROM (SELECT t.* FROM t) WHERE v > 50);
SELECT of_table(a) FROM (SELECT 100 AS a) AS w;
--> 1
CREATE MACRO of_part(v) AS (SELECT count(*) FROM (SELECT t.s.a FROM t) WHERE v > 50);
SELECT of_part(a) FROM (SELECT 100 AS a) AS w;
--! could be taken for
CREATE MACRO of_generator(v) AS (SELECT count(*) FROM (SELECT explode(l) FROM t) WHERE v > 50);
SELECT of_generator(col) FROM (SELECT 100 AS col) AS w;
--! could be taken for
CREATE MACRO of_cast(v) AS (SELECT count(*) FROM (SELECT CAST(v AS INT) FROM t) WHERE v > 50);
SELECT of_cast(q) FROM (SELECT 1.5 AS q) AS w;
--! could be taken for
CREATE MACRO largest(v) AS (SELECT count(*) FROM t WHERE v > 50);
SELECT largest((SELECT max(k + id) FROM (SELECT 1 AS k) AS i)) FROM (SELECT 100 AS id) AS w;
--! could be taken for
SELECT largest(100 + (SELECT max(id) FROM t));
--> 1
CREATE MACRO twice_0(x) AS x + 1;
CREATE MACRO twice_1(x) AS twice_0(x) + twice_0(x);
CREATE MACRO twice_2(x) AS twice_1(twice_1(x));
CREATE MACRO twice_3(x) AS twice_2(twice_2(x));
CREATE MACRO twice_4(x) AS twice_3(twice_3(x));
CREATE MACRO twice_5(x) AS twice_4(twice_4(x));
SELECT twice_2(0), twice_4(0);
--> 6 | 510
SELECT twice_5(0);
--! too long
