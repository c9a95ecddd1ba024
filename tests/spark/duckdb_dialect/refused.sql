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

-- '2.5' is a text for INT
SELECT '2.5'::INT;

-- '2020' is a text for DATE
SELECT '2020'::DATE;

-- ' true ' is a text for BOOLEAN
SELECT ' true '::BOOLEAN;

-- '1e3' is a text for INT
SELECT TRY_CAST('1e3' AS INT);

-- 'now' is a text for TIMESTAMP
SELECT 'now'::TIMESTAMP;

-- '2.5' is a text for INT
SELECT a FROM t WHERE a = '2.5';

-- '2020' is a text for DATE
SELECT a FROM t WHERE dt > '2020';

-- several types
SELECT 1 IN ('1', 2.5);

-- A text cannot be read as
SELECT '[1]'::INT[];

-- A text cannot be read as
SELECT '5'::UTINYINT;

-- A struct cannot be written as text
SELECT {'a': 1}::VARCHAR;

-- An interval cannot be written as text
SELECT (INTERVAL 1 DAY)::VARCHAR;

-- Only lists of numbers
SELECT ['a', 'b c']::VARCHAR;

-- cast it to more digits
SELECT 0.5::DECIMAL(1,1)::VARCHAR;

-- %g
SELECT printf('%g', 1.5::DOUBLE);

-- encode
SELECT 'ë'::BLOB;

-- text with other types
VALUES (3), ('+7');

-- typeof
SELECT typeof(1);

-- to_binary
SELECT to_binary('1');

-- corr
SELECT corr(a, a) OVER () FROM t;

-- url_encode
SELECT url_encode('a b');

-- needs a year
SELECT strptime('12:30', '%H:%M');

-- constant number
SELECT regexp_extract('a', 'a', NULL);

-- regr_slope
SELECT regr_slope(a, a) FROM t;

-- median of decimals
SELECT median(1.50);

-- length below zero
SELECT substring('hello', 2, -1);

-- empty separator
SELECT split_part('abc', '', 1);

-- nothing to pad with
SELECT lpad('abc', 5, '');

-- to_json
SELECT to_json({'a': NULL});

-- greatest and least
SELECT greatest([1, NULL], [1, 2]);

-- order
SELECT list_sort([[1, NULL], [1, 2]]);

-- Negation of an unsigned integer
SELECT -(1::UTINYINT);

-- TIME
SELECT TIME '10:00:00' + INTERVAL 1 HOUR;

-- TIME
SELECT TIME '10:00:00' < '9:00';

-- UUID
SELECT '00000000-0000-0000-0000-00000000000a'::UUID = 'abc';

-- HUGEINT and UBIGINT
SELECT 5::UBIGINT & 3;

-- text with other types
SELECT 1 AS a UNION ALL SELECT concat('0', '1');

-- IN compares text
SELECT 1 WHERE 1 IN (SELECT concat('0', '1'));

-- USING joins texts
SELECT 1 FROM (SELECT 1 AS a) AS x JOIN (SELECT concat('0', '1') AS a) AS y USING (a);

-- TIME
SELECT epoch(TIME '10:00:00');

-- TIME
SELECT date_part('hour', TIME '10:00:00');
