-- What means the same in DuckDB and, translated, on Spark. One statement ends where a line ends in a semicolon.

-- from first
FROM t;
FROM t SELECT a;
FROM t SELECT a, s WHERE a > 1;
FROM t JOIN u USING (a) SELECT t.s, u.label;
FROM (FROM u WHERE a = 1);

-- functions that Spark has by the same name
SELECT isnan(x), isnan('nan'::DOUBLE), NOT isnan(NULL::DOUBLE) FROM (VALUES (1.5::DOUBLE), (NULL)) AS v(x);
SELECT floor(x::DOUBLE) AS f, ceil(x::DOUBLE) AS c FROM (VALUES (1.5::DOUBLE), (-1.5), ('nan'::DOUBLE), ('inf'::DOUBLE), (1e300), (-2.0), (NULL)) AS v(x);
SELECT sign('nan'::DOUBLE), sign(-2.5::DOUBLE), sign(0), unicode(''), unicode('é');
SELECT levenshtein('abc', 'héllo'), levenshtein('', 'é'), levenshtein(NULL, 'a');
SELECT range(NULL), generate_series(1, NULL), generate_series(1, 3, NULL), range(1, x) FROM (VALUES (3), (NULL)) AS v(x);
SELECT str_split('a.b', x), string_split_regex('a1b', x) FROM (VALUES ('.'), (NULL), ('1')) AS v(x);
SELECT string_to_array('a.b|c', '.'), str_split('a,b', NULL), str_split(NULL, NULL);
SELECT substr('abc', 0, NULL), substr('abc', 0, 2), 'abc'[0], 'abc'[x] FROM (VALUES (0), (1), (NULL), (-1)) AS v(x);
SELECT list_position([3, NULL, 1], x) FROM (VALUES (3), (NULL), (7)) AS v(x);
SELECT list_position([3, NULL, 1], NULL), list_intersect([1], NULL), list_intersect([1, 2], [2, 5]);
SELECT bit_count(-3::TINYINT), bit_count(-3::INT), bit_count(-3::BIGINT), bin(-3);
SELECT corr(x, 2), corr(x, y), corr(x, NULL::INT), count_if(x > 1), count_if(NULL::BOOLEAN) FROM (VALUES (1, 2), (3, 5)) AS v(x, y);
SELECT quantile(x, 0.5), quantile_disc(x, 0.5), quantile_cont(x, 0.5), median(x), mean(y) FROM (VALUES (1, 1.50), (3, 2.25)) AS v(x, y);
SELECT to_milliseconds(1.5), to_milliseconds(0.3), to_milliseconds(7);

-- lists, bounds and steps that are NULL or 0 in a row
SELECT a, concat(l, l) AS b1, concat(l, NULL) AS b2, concat(NULL, l, [a]) AS b3, list_concat(l, [a], NULL) AS b4, l || NULL AS b5, NULL || l AS b6, l || [a] AS b7 FROM t;
SELECT a, l[a:] AS b1, l[1:a] AS b2, l[a:a] AS b3, list_slice(l, a, 5) AS b4, array_slice(l, 1, a) AS b5, [1, 2, 3][a:3] AS b6, l[a:3:2] AS b7, s[a:] AS b8, 'hello'[2:a] AS b9, s[1:2][a:] AS b10 FROM t;
SELECT list_contains([1, NULL], NULL), list_concat(NULL, NULL), list_reduce([a, 1], lambda x, y: x + y) FROM t;
SELECT list_aggregate(str_split(s, 'x'), 'string_agg', '-'), list_aggregate(list_filter(l, lambda x: x > 9), 'string_agg', '-') FROM t;
SELECT i, range(0, 5, 0), range(5, i, 0), generate_series(i, i, 0), generate_series(3, 3, i), range(2, -2, i) FROM nums;
SELECT a, generate_series(dt, DATE '2020-02-01', INTERVAL 0 DAY), range(ts, ts, INTERVAL 0 HOUR), range(dt, dt, INTERVAL 1 DAY) FROM t;
SELECT generate_series(dt, DATE '2020-02-02', to_days(a - 2)), range(dt, DATE '2020-02-02', to_days(a - 2)) FROM t WHERE a < 4;
SELECT generate_series(DATE '2020-01-03', DATE '2020-01-01', INTERVAL '-1 day') AS b1, range(DATE '2020-01-03', DATE '2020-01-01', INTERVAL '-1 day') AS b2;
SELECT generate_series(DATE '2020-01-03', DATE '2020-01-01', INTERVAL 1 DAY), range(DATE '2020-01-28', DATE '2020-04-28', INTERVAL 1 MONTH);
SELECT generate_series(DATE '2020-01-03', NULL, INTERVAL 1 DAY), range(DATE '2020-01-03', DATE '2020-01-04', NULL);
SELECT x FROM range(TIMESTAMP '2020-01-03', TIMESTAMP '2020-01-01', INTERVAL '-12 hours') AS v(x) ORDER BY x;

-- series of months up to the first that lacks the day of the start
SELECT generate_series(DATE '2024-01-29', DATE '2024-01-30', INTERVAL 1 YEAR), generate_series(DATE '2024-01-30', DATE '2024-02-01', INTERVAL 1 MONTH);
SELECT a, generate_series(dt, DATE '2022-01-01', INTERVAL 1 YEAR) AS b1, range(ts, TIMESTAMP '2020-03-01', to_months(a)) AS b2 FROM t WHERE a < 4;
SELECT range(DATE '2024-01-31', DATE '2024-01-31', INTERVAL 1 MONTH), range(DATE '2024-01-31', DATE '2024-01-31', INTERVAL 0 MONTH);
SELECT generate_series(DATE '2024-01-31', DATE '2024-02-29', INTERVAL 1 MONTH), range(DATE '2024-01-31', DATE '2024-03-29', INTERVAL 1 MONTH);
SELECT generate_series(DATE '2024-02-29', DATE '2027-06-30', INTERVAL 1 YEAR), generate_series(DATE '2024-01-31', DATE '2024-07-31', INTERVAL 2 MONTH);
SELECT generate_series(DATE '2024-03-31', DATE '2024-02-01', INTERVAL '-1 month') AS b1, generate_series(DATE '2024-03-31', DATE '2024-04-30', INTERVAL '-1 month') AS b2;
SELECT x FROM generate_series(TIMESTAMP '2024-01-31 10:00:00', TIMESTAMP '2024-02-29 10:00:00', INTERVAL 1 MONTH) AS v(x) ORDER BY x;

-- stars
SELECT * EXCLUDE (a) FROM t;
SELECT * EXCLUDE a FROM u;
SELECT t.* EXCLUDE (l, st) FROM t;
SELECT * REPLACE (a + 1 AS a) FROM u;
SELECT * RENAME (a AS z) FROM u;
SELECT * EXCLUDE (label) REPLACE (a * 2 AS a) FROM u;
SELECT COLUMNS('[as]$') FROM t;
SELECT min(COLUMNS(*)) FROM nums;
SELECT COLUMNS(c -> c LIKE 's%') FROM t;
SELECT COLUMNS(['a', 's']) FROM t;
SELECT COLUMNS(* EXCLUDE (name, team)) + 1 FROM people;
SELECT COLUMNS('(pay|rate)') AS 'x_\1' FROM people;
SELECT * LIKE 's%' FROM t;
SELECT * FROM t JOIN u USING (a);
SELECT * FROM u JOIN t USING (a);
SELECT u.* FROM t JOIN u USING (a);

-- names
SELECT a + 1, a - 1, a * 2, -a, a % 2, a = 1, a <> 1, a >= 1 FROM u;
SELECT count(*), count(a), count(DISTINCT a), sum(a), min(s), max(s) FROM t;
SELECT A, LABEL FROM u;
SELECT "a", t."s", "T"."S" FROM t;
SELECT lower(s), s || 'x', length(s), coalesce(s, 'n'), replace(s, 'x', 'y'), left(s, 1) FROM t;
SELECT a::VARCHAR, CAST(a AS BIGINT), TRY_CAST(s AS INT) FROM t;
SELECT a IS NULL, a IS NOT NULL, NOT b, a IN (1, 2), a NOT IN (1), a BETWEEN 1 AND 2, s LIKE 'x%', s NOT LIKE 'x' FROM t;
SELECT CASE WHEN a = 1 THEN 'one' ELSE 'more' END FROM t;
SELECT st.a, t.st.b, st['b'], l[1] FROM t;
SELECT sum(a) FILTER (WHERE a > 1), count(*) FILTER (WHERE b) FROM t;
SELECT 1, 'x', 1.5, NULL;
SELECT x: 1, y: 'two';
SELECT 1 AS a, a + 1 AS b;
SELECT date_trunc('month', dt), year(dt), date_part('day', dt), extract(month FROM dt) FROM t;
SELECT array_agg(a ORDER BY a), string_agg(s, ',' ORDER BY s) FROM t;

-- casts
SELECT '12'::INT, 12::VARCHAR, true::VARCHAR, true::INT, 1::BOOLEAN, 0::BOOLEAN, 'yes'::BOOLEAN;
SELECT 2.5::INT, 3.5::INT, (-2.5)::INT, 2.5::DOUBLE::INT, 3.5::DOUBLE::INT, 2.4::INT;
SELECT d::INT, d::DOUBLE, d::VARCHAR FROM t;
SELECT rate::INT, rate::BIGINT FROM people;
SELECT TRY_CAST('abc' AS INT), TRY_CAST('1' AS INT), TRY_CAST('x' AS DATE);
SELECT '2020-01-02'::DATE, '2020-01-02 03:04:05'::TIMESTAMP, DATE '2020-01-02', TIMESTAMP '2020-01-02 03:04:05.123456';
SELECT dt::VARCHAR, ts::VARCHAR, ts::DATE, dt::TIMESTAMP FROM t;
SELECT 1::DECIMAL(5,2), 1.239::DECIMAL(5,2), 1::DOUBLE, 1::HUGEINT, 200::UTINYINT, '5'::BIGINT;
SELECT ['1', '2']::INT[], [1, 2]::VARCHAR[], [1, 2]::VARCHAR;
SELECT {'a': 1}::STRUCT(a BIGINT);
SELECT '\xAA\x00b'::BLOB, 'abc'::BLOB;
SELECT ' 12 '::INT, '1.5'::DOUBLE, '1e3'::DOUBLE, 'inf'::DOUBLE;

-- arithmetic
SELECT 7 / 2, 7 // 2, -7 // 2, 7 % 3, -7 % 3, 2 ** 3, 2 ^ 3 AS p, 2 ** 0.5;
SELECT 1 / 0, -1 / 0, 0 / 0, 1 // 0, 1 % 0;
SELECT a / zero, a // zero, a % zero, a / fzero FROM u, pairs;
SELECT i / 2, i // 2, i % 2, i * 1.5, f // 2, f % 2 FROM nums;
SELECT 1.0 / 3, d / 2, d * d, d + 1, d - a, d * 2 FROM t;
SELECT round(2.5), round(-2.5), round(3.5::DOUBLE), round(1234.567, 2), round(1234.567, -2), round(25, -1);
SELECT rate, round(rate), ceil(rate), floor(rate), trunc(rate), abs(rate), sign(rate) FROM people;
SELECT sqrt(4), ln(1), log(100), log2(8), log10(100), exp(0), pi(), pow(2, 3), mod(5, 3), factorial(5);
SELECT 1 & 3, 1 | 2, xor(1, 2), 1 << 2, 8 >> 1, bit_count(7), ~1;
SELECT greatest(1, NULL, 3), least(NULL, 2, 1), greatest(NULL, NULL);
SELECT a + 1 - 2 * 3 / 4, (a + 1) * 2, -(a - 1) FROM u;
SELECT pay / 3, sum(pay) / count(*), sum(pay) // 7 FROM people GROUP BY pay;
SELECT 1_000_000, 1e3 AS e, .5 AS h, 100000000000;
SELECT isnan('nan'::DOUBLE), 'nan'::DOUBLE > 1, 'nan'::DOUBLE = 'nan'::DOUBLE;

-- comparisons
SELECT 1 == 1, 1 <> 2, 1 != 2, NULL = NULL, NULL IS NOT DISTINCT FROM NULL, 1 IS DISTINCT FROM NULL;
SELECT 'a' < 'b', 'B' < 'a', 'abc' = 'ABC', 'a' || NULL, '1' < 2;
SELECT * FROM u WHERE a IN (SELECT a FROM t);
SELECT a IN [1, 2] AS i, a IN l FROM t;
SELECT s ILIKE 'Z%', s LIKE '_y', s NOT ILIKE 'X', s LIKE 'x\%', 'a\b' LIKE 'a\b', 'a%' LIKE 'a!%' ESCAPE '!' AS e FROM t;
SELECT (1, 2) = (1, 2), {'a': 1} = {'a': 1}, [1, 2] < [1, 3];
SELECT s ~ 'z.*', s ~ 'z', s !~ 'x', s SIMILAR TO 'y+' FROM t;
SELECT if(a > 1, 'big', 'small'), ifnull(a, 0), nullif(a, 1), coalesce(NULL, a, 5) FROM t;
SELECT CASE a WHEN 1 THEN 'x' WHEN 2 THEN 'y' END AS c FROM t;
SELECT true AND NULL, false AND NULL, true OR NULL, NOT NULL;

-- lists
SELECT [1, 2, 3], [], ['a', NULL], [[1], [2]];
SELECT l[1], l[-1], l[5], l[0], l[a] FROM t;
SELECT [1,2,3][1], [1,2,3][-1], [10,20][i] FROM nums WHERE i > 0;
SELECT l[1:2], l[2:], l[:2], l[-2:], l[:-2], l[1:5:2], l[3:2] FROM t;
SELECT len(l), length(l), array_length(l), len(s), length(s) FROM t;
SELECT list_contains(l, 1), list_has(l, 7), contains(l, 3), array_contains(l, 1) FROM t;
SELECT list_position(l, 3), list_position([1, 2], 5), list_indexof(['a'], 'a') FROM t;
SELECT list_sort([3, 1, NULL, 2]), list_sort([3, 1, NULL], 'DESC') AS d, list_reverse_sort([1, 3, NULL, 2]);
SELECT list_sort([3, NULL, 1], 'ASC', 'NULLS FIRST') AS a, list_sort([3, NULL, 1], 'DESC', 'NULLS FIRST') AS b;
SELECT list_sum(l), list_aggregate(l, 'sum'), list_avg(l), list_min(l), list_max(l), list_count(l) FROM t;
SELECT list_sum([1.5, 2.5]), list_sum([1.5::DOUBLE]), list_aggregate(['a', 'b'], 'string_agg', '-');
SELECT list_sort(list_distinct([1, 2, 1, NULL])), list_unique([1, 1, NULL]), list_reverse([1, 2, 3]);
SELECT list_concat([1], [2]), [1] || [2], list_append([1], 2), list_prepend(0, [1]), list_concat([1], NULL);
SELECT list_has_any([1, 2], [2, 3]), list_has_all([1, 2], [2]), list_has_all([1], [2]);
SELECT list_transform(l, x -> x + 1), list_filter(l, x -> x > 1), list_transform(l, lambda x: x * 2) AS m FROM t;
SELECT list_transform([10, 20], (x, i) -> x + i), list_filter([5, 6, 7], (x, i) -> i > 1);
SELECT [x * 2 FOR x IN l IF x > 1] AS c, [x + 1 FOR x IN [1, 2]] AS d FROM t;
SELECT list_reduce([1, 2, 3], (x, y) -> x + y), list_reduce([1, 2], (x, y) -> x * y, 10);
SELECT flatten([[1], [2, 3]]), flatten(ll) FROM pairs;
SELECT array_to_string([1, 2], '-'), list_slice([1, 2, 3], 2, 3), list_extract([1, 2], 2), list_first([7, 8]), list_last([7, 8]);
SELECT range(5), range(1, 5), range(1, 6, 2), range(0), range(5, 0, -2), generate_series(1, 3), generate_series(5, 1, -2), generate_series(3, 1);
SELECT range(a), generate_series(1, a) FROM u WHERE a < 5;
SELECT generate_series(DATE '2020-01-01', DATE '2020-01-03', INTERVAL 1 DAY), range(DATE '2020-01-01', DATE '2020-03-01', INTERVAL 1 MONTH);
SELECT string_split('a,b,c', ','), string_split('a.b', '.'), string_split('abc', ''), str_split('a--b', '--'), split_part('a,b', ',', 2);

-- structs and maps
SELECT {'a': 1, 'b': 'x'}, struct_pack(a := 1, b := 2), {'a': {'b': 2}}.a.b AS ab;
SELECT st.a, st['a'], st.b, struct_extract(st, 'a') FROM t;
SELECT MAP {'k': 1}['k'], MAP {'k': 1}['z'], MAP([1, 2], ['a', 'b'])[2] AS m;
SELECT m['k'], m['none'], n[1], n[5] FROM pairs;
SELECT map_keys(m), map_values(m), cardinality(m), map_contains(m, 'k'), len(map_keys(m)) FROM pairs;
SELECT row(1, 'a'), (1, 2);
SELECT st.* FROM t;
SELECT unnest({'a': 1, 'b': 2});

-- unnest
SELECT unnest([1, 2, 3]);
SELECT unnest([1, 2, 3]) AS x;
SELECT a, unnest(l) FROM t;
SELECT a, unnest(l) AS e FROM t WHERE a > 0 ORDER BY e, a;
SELECT unnest([1, 2]) AS x, unnest(['a', 'b', 'c']) AS y;
SELECT unnest(l) + 1 FROM t;
SELECT a, unnest(l) AS x, unnest(range(2)) AS y FROM t;
SELECT * FROM unnest([1, 2]);
SELECT * FROM unnest([1, 2]) u;
SELECT * FROM unnest([1, 2]) AS u(x);
SELECT t.a, x FROM t, unnest(t.l) AS u(x);
SELECT t.a, x FROM t CROSS JOIN unnest(l) AS u(x);
SELECT t.a, u.x FROM t LEFT JOIN unnest(l) AS u(x) ON true;
SELECT sum(x) FROM (SELECT unnest(l) AS x FROM t);

-- series
SELECT * FROM range(3);
SELECT range FROM range(2, 5);
SELECT * FROM range(0, 10, 3) AS r(i);
SELECT i * 2 AS d FROM range(3) r(i);
SELECT * FROM generate_series(1, 3);
SELECT * FROM generate_series(5, 1, -2) g(i);
SELECT * FROM generate_series(3, 1);
SELECT u.a, i FROM u, range(u.a) r(i) WHERE u.a < 5;
SELECT * FROM range(DATE '2020-01-01', DATE '2020-01-03', INTERVAL 1 DAY);
SELECT count(*), sum(range) FROM range(100000);

-- texts
SELECT substring('hello', 2), substring('hello', 2, 3), substring('hello', -2), substring('hello', -3, 2), substring('hello', 0, 2), substr('hello', 1, 1);
SELECT substring('hello', i, 2) FROM nums;
SELECT s[1], s[-1], s[2:3], s[2:], s[:-2] FROM t;
SELECT replace(s, 'a', 'b')[1:2], s[1][1:2], trim(s)[-1], s[2:][1], lpad(s, 4, 'x')[2:3] FROM t;
SELECT left('hello', 2), left('hello', -2), right('hello', 2), right('hello', -2), left('hello', 0), left(s, a), right(s, a) FROM t;
SELECT left(s, i), right(s, i) FROM pairs, nums;
SELECT strpos('abc', 'c'), instr('abc', 'z'), position('b' IN 'abc');
SELECT concat('a', NULL, 1, true), concat(s, a), concat_ws('-', 'a', NULL, 2), 'a' || 1, s || a FROM t;
SELECT lpad('abc', 5, 'x'), rpad('abc', 5, 'xy'), lpad('abc', 2, 'x');
SELECT upper('a'), lower('B'), trim('  a '), ltrim(' a'), rtrim('a '), trim('xax', 'x'), ltrim('xxa', 'x');
SELECT reverse('abc'), repeat('ab', 3), replace('aXa', 'X', 'b'), translate('abc', 'ab', 'xy'), md5('a');
SELECT contains('abc', 'b'), starts_with('abc', 'a'), ends_with('abc', 'c'), prefix('abc', 'ab'), suffix('abc', 'bc'), 'abc' ^@ 'a';
SELECT chr(65), ascii('A'), strlen('é'), length('é'), hex('a'), bin(5), levenshtein('ab', 'ac');
SELECT regexp_matches('abc', 'b'), regexp_matches('abc', '^b'), regexp_matches('ABC', 'b', 'i'), regexp_full_match('abc', 'a.c');
SELECT regexp_replace('aaa', 'a', 'b'), regexp_replace('aaa', 'a', 'b', 'g'), regexp_replace('abc', '(b)(c)', '[\2\1]'), regexp_replace('abab', '(a)', '<\1>', 'g');
SELECT regexp_replace('x
y$1', '\$1', '$2'), regexp_replace(s, '[aeiou]', '*'), regexp_replace(s, '(.)$', '\1\1') FROM t;
SELECT regexp_extract('abc12', '[0-9]+'), regexp_extract('abc12', '([a-z]+)([0-9]+)', 2), regexp_extract('abc', 'z'), regexp_extract_all('a1b2', '[0-9]'), regexp_extract_all('a1b2', '([a-z])([0-9])', 1);
SELECT format('{} and {}', 'a', 'b'), format('{} {}', 1, 'x'), format('{1} {0}', 'a', 'b'), format('{:.2f}', 1.5::DOUBLE), format('{{}} 5%');
SELECT format('{:05d}|{:>5}|{:<5}|', 42, 'a', 'b'), format('{:,}', 1234567);
SELECT printf('%d-%s-%05.2f', 1, 'x', 2.5::DOUBLE), printf('%s%%', 'a');
SELECT 'it''s', E'a\nb', 'back\slash', 'tab	here', '日本', $$dollar 'quoted'$$;
SELECT s.upper() AS u, s.upper().reverse() AS r FROM t;
SELECT encode('a'), to_base64('a'::BLOB), from_base64('YQ==');
SELECT string_split(s, 'b') FROM t;

-- rows
SELECT a FROM t ORDER BY a;
SELECT a FROM t ORDER BY a DESC;
SELECT a FROM t ORDER BY a NULLS FIRST;
SELECT a FROM t ORDER BY a DESC NULLS FIRST;
SELECT a, s FROM t ORDER BY ALL;
SELECT s, a FROM t ORDER BY ALL DESC;
SELECT a FROM t ORDER BY 1 LIMIT 2;
SELECT a FROM t ORDER BY a LIMIT 2 OFFSET 1;
SELECT a FROM t ORDER BY a OFFSET 2;
SELECT team, sum(pay) AS total FROM people GROUP BY ALL ORDER BY ALL;
SELECT team, count(*) FROM people GROUP BY team HAVING count(*) > 1 ORDER BY team;
SELECT upper(team) AS big, count(*) FROM people GROUP BY big ORDER BY big;
SELECT team, count(*) AS n FROM people GROUP BY 1 HAVING n > 1 ORDER BY n, 1;
SELECT a * 2 AS double_a FROM u WHERE double_a > 2;
SELECT DISTINCT team FROM people ORDER BY team;
SELECT team, name, sum(pay) FROM people GROUP BY ROLLUP (team, name) ORDER BY ALL;
SELECT team, sum(pay) FROM people GROUP BY GROUPING SETS ((team), ()) ORDER BY ALL;

-- aggregates
SELECT sum(a), avg(a), min(a), max(a), count(*), count(a) FROM t;
SELECT sum(d), avg(d), sum(b), max(b), min(dt) FROM t;
SELECT sum(x) FROM (VALUES (9223372036854775807::BIGINT), (9223372036854775807)) v(x);
SELECT sum(pay), avg(pay), sum(rate), avg(rate) FROM people;
SELECT arg_min(name, pay), arg_max(name, pay), min_by(name, rate) AS a, max_by(name, rate) AS b FROM people;
SELECT arg_min(x, y) FROM (VALUES (NULL, 1), (2, 2)) v(x, y);
SELECT median(pay), quantile_cont(pay, 0.25), quantile_disc(pay, 0.5), quantile_cont(pay, [0.25, 0.5]) FROM people;
SELECT mode(x) FROM (VALUES (1), (2), (2)) v(x);
SELECT count_if(pay > 75), countif(pay > 75), bool_and(pay > 0), bool_or(pay > 90), approx_count_distinct(team) FROM people;
SELECT any_value(x), count() FROM (VALUES (NULL), (3)) v(x);
SELECT first(name ORDER BY pay), last(name ORDER BY name), first(pay ORDER BY name DESC) FROM people;
SELECT list(pay ORDER BY pay) AS l, array_agg(name ORDER BY pay DESC, name), list_sort(list(DISTINCT team)) FROM people;
SELECT team, list(name ORDER BY name) AS l FROM people GROUP BY team ORDER BY team;
SELECT list(pay ORDER BY name) FILTER (WHERE team = 'ops') AS o, list(name ORDER BY rate DESC NULLS FIRST) AS n FROM people;
SELECT list(a), sum(a), string_agg(s, ','), count(a) FROM t WHERE false;
SELECT string_agg(name, ', ' ORDER BY name DESC), string_agg(name ORDER BY name), listagg(name, '' ORDER BY name) AS l, group_concat(name, '|' ORDER BY pay) AS g FROM people;
SELECT string_agg(DISTINCT team, ',' ORDER BY team) FROM people;
SELECT string_agg(a, ',' ORDER BY a) FROM t;
SELECT sum(pay) FILTER (WHERE team = 'eng') AS e, count(*) FILTER (WHERE pay > 75) AS n FROM people;
SELECT stddev(pay), variance(pay), stddev_pop(pay), var_pop(pay), corr(pay, rate), covar_pop(pay, rate) FROM people;
SELECT sum(DISTINCT g), count(DISTINCT g), avg(DISTINCT g), bit_and(i), bit_or(i) FROM nums;
SELECT sum(i ORDER BY i), max(i ORDER BY i) AS m FROM nums;

-- windows
SELECT name, row_number() OVER (ORDER BY pay) AS r, rank() OVER (ORDER BY pay DESC) AS k FROM people ORDER BY name;
SELECT name, sum(pay) OVER (PARTITION BY team ORDER BY name) AS s, count(*) OVER () AS n FROM people ORDER BY name;
SELECT i, sum(i) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS s FROM nums ORDER BY i;
SELECT i, avg(i) OVER (ORDER BY i RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) AS s FROM nums ORDER BY i;
SELECT i, lag(i) OVER (ORDER BY i) AS p, lead(i, 2, 0) OVER (ORDER BY i) AS n, ntile(3) OVER (ORDER BY i) AS t FROM nums ORDER BY i;
SELECT i, first_value(i) OVER w AS f, last_value(i) OVER w AS l, nth_value(i, 2) OVER w AS n FROM nums WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT a, lag(a IGNORE NULLS) OVER (ORDER BY s) AS x FROM t ORDER BY s;
SELECT count(*) AS n FROM (SELECT row_number() OVER () AS r FROM people) WHERE r > 2;
SELECT name, row_number() OVER (PARTITION BY team ORDER BY pay) FROM people ORDER BY name;
SELECT i, list(i) OVER (ORDER BY i ROWS 1 PRECEDING) AS w FROM nums ORDER BY i;
SELECT name, percent_rank() OVER (ORDER BY name) AS p, cume_dist() OVER (ORDER BY name) AS c, dense_rank() OVER (ORDER BY team) AS d FROM people ORDER BY name;

-- dates
SELECT date_trunc('month', dt), date_trunc('week', ts), date_trunc('hour', ts), date_trunc('quarter', dt), date_trunc('year', ts) FROM t;
SELECT year(dt), month(dt), day(dt), hour(ts), minute(ts), second(ts), quarter(dt), week(dt), dayofweek(dt), dayofyear(dt), isodow(dt) FROM t;
SELECT date_part('year', dt), date_part('dow', dt), date_part('isodow', dt), date_part('doy', dt), date_part('second', ts), date_part('millisecond', ts), date_part('epoch', ts) FROM t;
SELECT extract(year FROM dt), extract(hour FROM ts), extract(epoch FROM ts), extract(week FROM dt) FROM t;
SELECT extract(epoch FROM ts - TIMESTAMP '2020-01-01'), extract(day FROM ts - TIMESTAMP '2020-01-01') FROM t WHERE a = 1;
SELECT date_diff('day', DATE '2020-01-31', dt), date_diff('month', DATE '2020-01-31', dt), date_diff('year', DATE '2019-12-31', dt), date_diff('quarter', DATE '2019-12-31', dt) FROM t;
SELECT date_diff('hour', TIMESTAMP '2020-01-01 00:59:00', TIMESTAMP '2020-01-01 01:00:00'), datediff('minute', TIMESTAMP '2020-01-01', ts), date_diff('second', TIMESTAMP '2020-01-01', ts) FROM t;
SELECT date_diff('week', DATE '2020-01-05', DATE '2020-01-06'), date_diff('week', DATE '2020-01-05', DATE '2020-01-12'), date_diff('week', DATE '2020-01-12', DATE '2020-01-01');
SELECT date_sub('month', DATE '2020-01-31', DATE '2020-02-29'), date_sub('hour', TIMESTAMP '2020-01-01 00:59:00', TIMESTAMP '2020-01-01 02:00:00');
SELECT dt + INTERVAL 1 MONTH, dt + INTERVAL '1 day' AS d, dt - INTERVAL 1 YEAR, dt + 1, dt - 1 FROM t;
SELECT ts + INTERVAL 90 MINUTE, ts - INTERVAL '2' HOUR AS h, ts + INTERVAL '1 day 2 hours', ts + INTERVAL (a) DAY AS ad, ts + to_hours(a), ts + to_months(a) FROM t;
SELECT dt - DATE '2020-01-01', ts - TIMESTAMP '2020-01-01' FROM t;
SELECT strftime(ts, '%Y-%m-%d %H:%M:%S'), strftime(dt, '%d.%m.%y'), strftime(ts, '%a %A %b %B %-d %-m %j %I %p %f %%'), strftime(ts, '%Y at %H') FROM t;
SELECT strptime('2020-01-05', '%Y-%m-%d'), strptime('5/1/2020 7:08', '%d/%m/%Y %H:%M'), strptime('20200105', '%Y%m%d'), try_strptime('x', '%Y');
SELECT epoch(ts), epoch_ms(ts), epoch_us(ts), epoch_ms(1577836800123), epoch_ms(dt) FROM t;
SELECT make_date(2020, 1, 2), make_timestamp(2020, 1, 2, 3, 4, 5.5), last_day(dt), dayname(dt), monthname(dt) FROM t;
SELECT today() = current_date, now() > TIMESTAMP '2020-01-01', current_timestamp > TIMESTAMP '2020-01-01';
SELECT INTERVAL 1 DAY, INTERVAL '3 hours' AS h, INTERVAL 2 WEEK, to_days(3);
SELECT dt > DATE '2020-01-31', ts BETWEEN TIMESTAMP '2020-01-01' AND TIMESTAMP '2020-02-01', dt = '2020-01-31', dt < ts FROM t;
SELECT date_add(DATE '2020-01-31', INTERVAL 1 MONTH);

-- sources
VALUES (1, 'a'), (2, 'b');
SELECT * FROM (VALUES (1, 2), (3, 4));
SELECT * FROM (VALUES (1, 2)) AS v;
SELECT v.b FROM (VALUES (1, NULL), (2, 'x')) v(a, b);
WITH v(i, j) AS (VALUES (1, 'a')) SELECT j FROM v;
WITH a AS MATERIALIZED (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT * FROM a, b;
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r;
SELECT t.a, x.b FROM t, LATERAL (SELECT t.a + 1 AS b) x;
SELECT t.a, x.total FROM t LEFT JOIN LATERAL (SELECT sum(score) AS total FROM u WHERE u.a = t.a) x ON true;
SELECT * FROM u SEMI JOIN t USING (a);
SELECT * FROM u ANTI JOIN t ON u.a = t.a;
SELECT t.a, u.score FROM t LEFT JOIN u ON t.a = u.a;
SELECT t.a, u.score FROM t FULL JOIN u ON t.a = u.a;
SELECT a, score FROM t RIGHT JOIN u USING (a);
SELECT u.a, v.a FROM u, u v WHERE u.a < v.a;
SELECT * FROM u NATURAL JOIN (SELECT 1 AS a, 'z' AS extra);
SELECT (SELECT max(a) FROM u) AS m, EXISTS (SELECT 1 FROM u WHERE a = 9) AS e;
SELECT (SELECT label FROM u WHERE u.a = t.a) AS x FROM t;
SELECT a FROM t UNION SELECT a FROM u;
SELECT a FROM t UNION ALL SELECT a FROM u;
SELECT a FROM t EXCEPT SELECT a FROM u;
SELECT a FROM t INTERSECT SELECT a FROM u;
SELECT 1 AS a, 2 AS b UNION ALL BY NAME SELECT 3 AS b, 4 AS c;
SELECT a, label FROM u UNION BY NAME SELECT * FROM u;
PIVOT people ON team IN ('eng', 'ops') USING sum(pay) GROUP BY name;
PIVOT people ON team IN ('eng', 'ops') USING count(*) AS n, max(pay) AS m GROUP BY rate;
UNPIVOT (SELECT 1 AS a, 2 AS b, 3 AS c) ON a, b INTO NAME n VALUE v;
UNPIVOT (SELECT team, pay FROM people) ON pay;
SELECT * FROM (SELECT 1 AS a, 2 AS b) UNPIVOT (v FOR n IN (a, b));
SELECT * FROM (SELECT team, pay FROM people) PIVOT (sum(pay) FOR team IN ('eng', 'ops'));
SELECT name FROM people WHERE NULL;
SELECT team FROM people GROUP BY team HAVING (NULL);
SELECT a.name FROM people AS a JOIN people AS b ON NULL;
SELECT count(*) FROM range(1000) USING SAMPLE 100%;
SELECT count(*) FROM (SELECT * FROM range(1000) USING SAMPLE 10 ROWS);
SELECT count(*) FROM (SELECT * FROM nums TABLESAMPLE 5 ROWS);
SELECT count(*) > 0 AS some FROM range(1000000) USING SAMPLE 50%;

-- everyday
SELECT lower(team), count(*) FROM people GROUP BY lower(team) HAVING count(*) > 0 ORDER BY count(*) DESC, lower(team);
SELECT team AS x, x || '!' AS y, count(*) AS n FROM people GROUP BY x ORDER BY n DESC, x;
SELECT DISTINCT i % 2 FROM nums ORDER BY i % 2;
WITH ranked AS (SELECT *, row_number() OVER (PARTITION BY team ORDER BY pay DESC) AS rn FROM people) SELECT * EXCLUDE (rn) FROM ranked WHERE rn = 1 ORDER BY team;
SELECT team, pay, pay / sum(pay) OVER (PARTITION BY team) AS share FROM people ORDER BY team, pay;
SELECT date_trunc('month', dt) AS m, count(*), sum(d) FROM t GROUP BY ALL ORDER BY ALL;
SELECT name FROM people p WHERE pay > (SELECT avg(pay) FROM people q WHERE q.team = p.team) ORDER BY name;
SELECT team, round(avg(rate), 2) AS r, max(pay) - min(pay) AS spread FROM people GROUP BY team ORDER BY team NULLS FIRST;
SELECT p.name, l.label FROM people p LEFT JOIN u l ON length(p.name) = l.a + 1 ORDER BY ALL;
SELECT word, count(*) AS n FROM (SELECT unnest(string_split('a b a', ' ')) AS word) GROUP BY word ORDER BY n DESC;
SELECT "Score", score + 1, SCORE * 2 AS Twice FROM u WHERE "SCORE" > 10;
SELECT * FROM (SELECT a AS key, count(*) FROM t GROUP BY a) WHERE "count_star()" = 1;
SELECT a, b FROM (SELECT a, list(s) AS b FROM t GROUP BY a) WHERE len(b) > 0 AND b[1] IS NOT NULL;
SELECT x.a, x.l[1] AS first, len(x.l) AS n, x.st.a AS sa FROM (SELECT * FROM t) x;
SELECT any_value(s) FILTER (WHERE a = 2) AS v, list(a) FILTER (WHERE a > 9) AS none FROM t;
SELECT CASE WHEN pay IS NULL THEN 'none' WHEN pay > 75 THEN 'high' ELSE 'low' END AS band, count(*) FROM people GROUP BY ALL ORDER BY band;
SELECT i, CASE WHEN i % 15 = 0 THEN 'fb' ELSE i::VARCHAR END AS v FROM range(14, 17) r(i);
SELECT name, coalesce(team, 'none') AS team FROM people WHERE team IS DISTINCT FROM 'eng' ORDER BY name;
SELECT sum(CASE WHEN b THEN 1 ELSE 0 END) AS n, 100.0 * count(s) / count(*) AS pct FROM t;
SELECT i, f::INT AS r, (f * 10)::BIGINT AS t FROM nums ORDER BY i;
SELECT date_trunc('day', ts) + INTERVAL 1 DAY AS next, date_diff('day', dt, DATE '2020-03-01') AS days FROM t ORDER BY next;

-- json
SELECT '{"a": 1, "b": {"c": "x"}}'::JSON ->> 'a' AS a, '{"b": {"c": "x"}}' ->> '$.b.c' AS c, json_extract_string('{"a": 1}', '$.a') AS e;
SELECT '{"b": {"c": "x"}}'::JSON -> 'b' ->> 'c' AS c;

-- more of everything
SELECT * FROM (SELECT 1 AS a, [1, 2] AS l) WHERE len(l) = 2;
SELECT a FROM t WHERE s = 'x' OR (a > 1 AND NOT b) ORDER BY a;
SELECT max(i) - min(i), (max(i) - min(i)) / 2 FROM nums;
SELECT first(i ORDER BY f DESC) AS a, arg_max(i, f) AS b FROM nums WHERE g = 1;
SELECT g, sum(i) AS s FROM nums GROUP BY g HAVING s > 0 ORDER BY g;
SELECT team, max(name) FILTER (pay > 60) AS m FROM people GROUP BY team ORDER BY team;
SELECT * FROM people ORDER BY pay DESC NULLS LAST LIMIT 1;
SELECT * FROM people ORDER BY team, pay DESC LIMIT 3;
SELECT st FROM t WHERE st IS NOT NULL ORDER BY st.a;
SELECT list_transform(range(3), x -> {'v': x}) AS s;
SELECT [{'a': 1}, {'a': 2}][2].a AS v;
SELECT unnest([{'a': 1, 'b': 2}]) AS s;
SELECT s.a FROM (SELECT unnest([{'a': 1}, {'a': 2}]) AS s);
SELECT list_sort(list_transform(l, x -> x * -1)) AS r FROM t;
SELECT (SELECT list(x ORDER BY x) FROM unnest([3, 1]) v(x)) AS l;
SELECT a, (SELECT count(*) FROM u WHERE u.a > t.a) AS n FROM t ORDER BY a;
SELECT * FROM u WHERE EXISTS (FROM t WHERE t.a = u.a) ORDER BY a;
SELECT u.a, t.s FROM u JOIN t ON u.a = t.a AND t.b ORDER BY ALL;
WITH a AS (FROM u), b AS (FROM a WHERE a < 5) FROM b ORDER BY score DESC;
SELECT coalesce(sum(x), 0) AS s FROM (SELECT 1 AS x WHERE false);
SELECT d::VARCHAR || '!' AS v, 1.50::VARCHAR AS w, true::VARCHAR || 'x' AS b FROM t;
SELECT strftime(DATE '2020-02-03', '%Y%m%d')::INT AS k;
SELECT (ts - INTERVAL 1 HOUR)::DATE AS d, ts::DATE + 7 AS e FROM t ORDER BY ALL;
SELECT date_trunc('month', ts)::DATE AS m, max(ts) - min(ts) AS span FROM t GROUP BY 1 ORDER BY 1;
SELECT epoch(TIMESTAMP '2020-01-02' - TIMESTAMP '2020-01-01') AS e;
SELECT CASE WHEN a IS NULL THEN 0 ELSE a END / 2 AS h FROM t ORDER BY h;
SELECT a // 2 * 2 + a % 2 AS back FROM u;
SELECT 10 - 4 - 3 AS a, 2 * (3 + 4) AS b, 100 / 10 / 2 AS c, -2 ** 2 AS d, 7 - (2 - 1) AS e;
SELECT NOT a = 1 AS x, a = 1 OR a = 2 AND a = 3 AS y FROM u;
SELECT s, s[1:1] || s[-1:] AS ends FROM t ORDER BY s;
SELECT max(len(s)) AS m, min(len(l)) AS n FROM t;
SELECT rate % 2 AS m, rate / 0 AS z, pay % 7 AS p FROM people ORDER BY ALL;
SELECT sum(pay) OVER (ORDER BY name) / 2 AS half, avg(pay) OVER (PARTITION BY team) AS a FROM people ORDER BY name;
SELECT string_agg(x, '-' ORDER BY x) AS s FROM (VALUES ('b'), (NULL), ('a')) v(x);
SELECT count(DISTINCT team) AS n, count(DISTINCT (team, pay)) AS m FROM people;
SELECT * FROM (VALUES (DATE '2020-01-01', TIMESTAMP '2020-01-01 10:00:00', 1.25, [1])) v(a, b, c, d);
SELECT name[1] AS c, upper(name[1]) || name[2:] AS t FROM people ORDER BY name;
SELECT list_contains(string_split('a,b', ','), 'a') AS y, len(string_split('a,b,c', ',')) AS n;
SELECT 'a' < 'B' AS x, 'ä' > 'z' AS y, '' IS NULL AS z, '' = ' ' AS w;
SELECT *, a + 1 AS next FROM u ORDER BY next DESC;
SELECT u.*, t.s FROM u LEFT JOIN t ON u.a = t.a ORDER BY u.a;
SELECT a FROM (SELECT a FROM t UNION ALL SELECT a FROM u) ORDER BY a LIMIT 3;
(SELECT a FROM u ORDER BY a LIMIT 1) UNION ALL (SELECT a FROM u ORDER BY a DESC LIMIT 1);
SELECT ts AT TIME ZONE 'Europe/Berlin' AS z, (TIMESTAMPTZ '2020-06-01 10:00:00+00') AT TIME ZONE 'Europe/Berlin' AS w FROM t;
SELECT array_agg(a) OVER (ORDER BY a) FROM t;
SELECT DATE '2020-01-31' + INTERVAL 1 MONTH + INTERVAL 2 DAY;

-- ANY and ALL
SELECT a FROM t WHERE a = ANY (SELECT a FROM u);
SELECT a FROM t WHERE a = SOME (SELECT a FROM u WHERE a < 2);
SELECT a FROM t WHERE NOT a = ANY (SELECT a FROM u);
SELECT a FROM t WHERE a <> ALL (SELECT a FROM u);
SELECT a FROM t WHERE a <> ALL (SELECT a FROM t);
SELECT a FROM t WHERE b = ANY (SELECT a = 1 FROM u);
SELECT a, a = ANY (SELECT a FROM u) AS x FROM t WHERE a IS NOT NULL;
SELECT a FROM t WHERE a = ANY (VALUES (1), (3));
SELECT a FROM t WHERE a = ANY (SELECT a FROM u) OR a <> ALL (SELECT a FROM u);

-- IN over a query is NULL where it is not known
SELECT a, a IN (SELECT a FROM u) AS x, a NOT IN (SELECT a FROM u) AS y, a IN (SELECT a FROM t WHERE a IS NULL) AS z FROM t;
SELECT a, a IN (SELECT a FROM t) AS x, a + 7 NOT IN (SELECT a FROM t) AS y, a IN (SELECT a FROM u WHERE false) AS z FROM t;
SELECT a, a IN (SELECT u.a FROM u WHERE u.a = t.a) AS x FROM t;
SELECT a FROM t WHERE (a IN (SELECT a FROM u)) IS NULL OR coalesce(a NOT IN (SELECT a FROM t), true);
SELECT a FROM t WHERE NOT (a IN (SELECT a FROM u) AND b);
SELECT count(*) FILTER (WHERE x IS NULL) AS n FROM (SELECT a IN (SELECT a FROM u) AS x FROM t) q;

-- texts
SELECT ' 12 '::INT, '+5'::BIGINT, '1.235'::DECIMAL(5,2), '-.5'::DOUBLE, 'INF'::DOUBLE, 'Yes'::BOOLEAN, '2020-1-2'::DATE, '2020-01-02 10:00:00'::DATE, '2020-01-02T03:04'::TIMESTAMP;
SELECT TRY_CAST(s AS DATE), TRY_CAST(s || '1' AS DOUBLE), TRY_CAST(upper(s) AS BOOLEAN), TRY_CAST('abc' AS DECIMAL(5,2)), TRY_CAST(' true ' AS BOOLEAN), TRY_CAST('300' AS TINYINT) FROM t;
SELECT 1e20::VARCHAR AS c0, 1e15::VARCHAR AS c1, 1e16::VARCHAR AS c2, 1e-5::VARCHAR AS c3, 0.0001::DOUBLE::VARCHAR AS c4, 100::DOUBLE::VARCHAR AS c5, '-inf'::DOUBLE::VARCHAR AS c6, 'nan'::DOUBLE || '' AS c7, 12345678.5::DOUBLE::VARCHAR AS c8, 0.1::FLOAT::VARCHAR AS c9, 65700000000::FLOAT::VARCHAR AS c10;
SELECT rate::VARCHAR AS v, 'a' || rate AS w, concat(rate, '-', pay) AS c, (rate * 2)::VARCHAR AS d FROM people ORDER BY ALL;
SELECT string_agg(rate, ',' ORDER BY rate) AS a, string_agg(pay ORDER BY pay) AS b FROM people;
SELECT [1, NULL]::VARCHAR AS a, [1.5::DOUBLE, 1e20]::VARCHAR AS b, array_to_string([1.5::DOUBLE, 1e20], ',') AS c, ['1', ' 2']::INT[] AS d, [true]::VARCHAR AS e;
SELECT 'ab'::BLOB::VARCHAR AS a, 'ab'::BLOB || 'x' AS b, '01234567-89AB-4DEF-8123-456789ABCDEF'::UUID::VARCHAR AS u;
SELECT 1.5 = '1.51' AS a, 2 IN ('2', '3') AS b, DATE '2020-01-02' = '2020-1-2' AS c, COALESCE(NULL::INT, '7') AS d, CASE WHEN true THEN 1 ELSE '2' END AS e, true = 'yes' AS f;
SELECT a FROM t WHERE a = '1' OR a BETWEEN '2' AND '3' ORDER BY a;
SELECT 0.1::FLOAT = 0.1 AS a, 0.1::FLOAT = 0.1::DOUBLE AS b, 0.1::FLOAT + 0.1 AS c, 0.1::FLOAT / 3 AS d, 16777216::FLOAT = 16777217 AS e, 0.1::FLOAT IN (0.1, 2) AS f;
SELECT printf('%.2f', 1.234::DOUBLE) AS a, printf('%s', DATE '2020-01-02') AS b, format('{} {} {}', 1e20, 1.50, true) AS c;
SELECT ts::VARCHAR || '!' AS a, dt::VARCHAR::DATE AS b FROM t;
SELECT printf('%s %d', NULL::VARCHAR, 1) AS a, format('{} {:.1f}', 'x', NULL::DOUBLE) AS b, format('{}', s) AS c, format('5%') AS d FROM t;
VALUES (1e20::VARCHAR, nullif(1, 2)), ('x' || 1.5::DOUBLE, NULL);
SELECT a || '!' AS a, b FROM (VALUES (DATE '2020-01-02'::VARCHAR, list_contains([1], 1)), (NULL, false)) v(a, b);
VALUES (CAST('1' || '2' AS INT));

-- NULLs within lists and structs come last
SELECT x FROM (VALUES ([1, NULL]), ([1, 2]), ([NULL]), (NULL), ([1])) AS v(x) ORDER BY x;
SELECT x FROM (VALUES ([1, NULL]), ([1, 2]), ([NULL]), (NULL), ([1])) AS v(x) ORDER BY x DESC;
SELECT x AS y FROM (VALUES ([1, NULL]), ([1, 2]), ([NULL]), ([1])) AS v(x) ORDER BY y DESC;
SELECT min(x) AS a, max(x) AS b FROM (VALUES ([1, NULL]), ([1, 2]), ([NULL]), (NULL), ([1])) AS v(x);
SELECT [1, NULL] < [1, 2] AS a, [1, 2] < [1, NULL] AS b, [NULL] <= [1] AS c, {'a': NULL::INT} > {'a': 1} AS d;
SELECT x, row_number() OVER (ORDER BY x) AS n FROM (VALUES ([1, NULL]), ([1, 2])) AS v(x) ORDER BY n;
SELECT list(i ORDER BY x) AS l FROM (VALUES ([1, NULL], 1), ([1, 2], 2)) AS v(x, i);

-- functions of odd values
SELECT chr(128512) AS a, chr(65) AS b, flatten([[1], NULL, [2, NULL]]) AS c, ascii('') AS d;
SELECT ln(2) AS a, log(100) AS b, sqrt(4) AS c, acos('nan'::DOUBLE) AS d, atanh(1) AS e, log(3, 9) AS f;
SELECT 18446744073709551615::UBIGINT // 2 AS a, (-7)::HUGEINT // 2 AS b, 5::UTINYINT & 3 AS c, 1 << 3 AS d;
SELECT concat(sign(0), true), sign(-2.5), sign(3), sign('nan'::double), sign(a) FROM t;
SELECT CASE WHEN NULL THEN DATE '2024-01-01' ELSE DATE '2024-01-02' END, CASE WHEN (NULL) THEN 1 WHEN true THEN 2 END FROM t;
SELECT CAST(4294967295 AS UINTEGER) % CAST(0.1 AS FLOAT), 5 % CAST(0.3 AS FLOAT), CAST(7.7 AS FLOAT) % 2, CAST(7.7 AS FLOAT) % 0 FROM t;
