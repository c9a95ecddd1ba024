-- What Spark has nothing for. The comment before each statement is part of the message.

-- ASOF JOIN
SELECT * FROM t ASOF JOIN u ON t.a >= u.a;

-- POSITIONAL JOIN
SELECT * FROM t POSITIONAL JOIN u;

-- percentage
SELECT a FROM t LIMIT 10%;

-- age
SELECT age(TIMESTAMP '2020-01-01', TIMESTAMP '2019-01-01');

-- interval
SELECT INTERVAL '1 month 2 days';

-- #1
SELECT #1 FROM t;

-- UNION ALL
WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r;

-- PIVOT
PIVOT people ON team USING sum(pay) GROUP BY name;

-- PIVOT in FROM
SELECT * FROM (SELECT team, pay FROM people) PIVOT (count(pay) FOR team IN ('eng', 'ops'));

-- names of groups
SELECT regexp_extract('a', '(a)', ['x']);

-- ->>
SELECT '{"a": 1}'::JSON -> 'a';

-- %W
SELECT strftime(now(), '%W');

-- constant
SELECT strftime(now(), s) FROM t;

-- GLOB
SELECT a GLOB 'x*' FROM t;

-- hash
SELECT hash(1);

-- GROUPS
SELECT sum(i) OVER (ORDER BY i GROUPS 1 PRECEDING) FROM nums;

-- columns
SELECT * REPLACE (a + 1 AS a) FROM unknown_table;

-- COLLATE
SELECT a FROM t ORDER BY s COLLATE NOCASE;

-- seed
SELECT * FROM nums USING SAMPLE 10 ROWS REPEATABLE (1);

-- ANY and ALL
SELECT a FROM t WHERE a > ANY (SELECT a FROM u);

-- ANY and ALL
SELECT a FROM t WHERE a <= ALL (SELECT a FROM u);

-- ANY and ALL
SELECT a FROM t WHERE a <> ANY (SELECT a FROM u);

-- ANY and ALL
SELECT a FROM t WHERE a = ALL (SELECT a FROM u);

-- ANY and ALL
SELECT a FROM t WHERE a = ANY ([1, 2]);

-- ANY and ALL
SELECT a FROM t WHERE s LIKE ANY (['x%']);
