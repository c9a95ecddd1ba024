-- a macro reads where it is, and its arguments where it is called
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1);
CREATE MACRO g(x) AS x + 1;
CREATE MACRO f(x) AS g(x) * 10;
CREATE MACRO all_t() AS TABLE SELECT id FROM t;
FORK CATALOG lake AS agent;
ATTACH '{target}' AS mine (CATALOG 'agent'{schema});
DROP MACRO mine.g;
SELECT mine.f(1);
--! g
ALTER TABLE mine.t RENAME TO u;
SELECT * FROM mine.all_t();
--! does not exist
CREATE OR REPLACE MACRO mine.g(x) AS x + 100;
SELECT mine.f(1), f(1), mine.f(g(1)), mine.f(mine.g(1)), f(x => mine.g(0));
--> 1010 | 20 | 1020 | 2010 | 1010
CREATE MACRO same(a, b) AS a = b;
SELECT same(NOT true, false), same(2 BETWEEN 1 AND 3, true), same(2 IN (1), false);
--> true | true | true
CREATE TABLE w (id BIGINT, k BIGINT);
INSERT INTO w VALUES (5, 1);
CREATE MACRO count_of(a) AS (SELECT count(*) FROM t WHERE t.id = a);
SELECT count_of(1), count_of(w.k), count_of(k), count_of(k + 1) FROM w;
--> 1 | 1 | 1 | 0
SELECT count_of(w.id) FROM w;
--> 0
SELECT count_of(id) FROM w;
--! could be taken for a column
SELECT count_of(t.k) FROM w AS t;
--! could be taken for a column
SELECT count_of((SELECT max(id) FROM t)) FROM w;
--> 1
CREATE MACRO plus_rows(a) AS a + (SELECT count(*) FROM t);
SELECT plus_rows(id) FROM w;
--> 6
CREATE MACRO area(a) AS area(a, a), (a, b) AS a * b;
SELECT area(3), area(area(2)), area(2, area(3));
--> 9 | 16 | 18
CREATE MACRO ring_a(x) AS ring_b(x);
CREATE MACRO ring_b(x) AS ring_a(x) + ring_a(x);
SELECT ring_a(1);
--! refers to itself
