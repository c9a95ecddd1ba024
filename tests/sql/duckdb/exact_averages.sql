-- averages of decimals and integers are the quotients of exact sums, and quantiles keep the type of integers
-- dialect: duckdb
-- oracle: yes
CREATE TABLE a (v DECIMAL(10,2));
INSERT INTO a VALUES (0.10), (0.20), (0.40);
SELECT avg(v), avg(DISTINCT v), mean(v), avg(v) FILTER (WHERE v > 0.1) FROM a;
--> 0.23333333333333334 | 0.23333333333333334 | 0.23333333333333334 | 0.3
SELECT v, avg(v) OVER (ORDER BY v) FROM a ORDER BY v;
--> 0.10 | 0.1
--> 0.20 | 0.15
--> 0.40 | 0.23333333333333334
SELECT avg(v) FROM a WHERE v > 1;
--> NULL
CREATE TABLE g (v BIGINT);
INSERT INTO g VALUES (9007199254740993), (9007199254740993), (9007199254740993);
SELECT avg(v), avg(v) = 9007199254740993 FROM g;
--> 9007199254740992.0 | true
CREATE TABLE h (v DECIMAL(38,10));
INSERT INTO h VALUES (1234567890123456789012345678.0123456789), (-1.5), (0.0000000001);
SELECT avg(v) FROM h;
--> 4.115226300411523e+26
CREATE TABLE q (i INTEGER, s SMALLINT, d DOUBLE, b BIGINT, u UUID);
INSERT INTO q VALUES (1, 1, 1.5, 9007199254740993, NULL), (3, 3, 2.5, 5, NULL), (4, 4, 7, 6, NULL);
SELECT quantile_disc(i, 0.5), quantile_disc(s, 0.3), quantile_disc(d, 0.5) FROM q;
--> 3 | 1 | 2.5
SELECT quantile_disc(v, 0.5), quantile_disc(v, 0.9) FROM a;
--> 0.20 | 0.40
SELECT quantile_disc(b, 0.5), quantile_disc(b, 0), quantile(b, 1), quantile_disc(b, 0.9) FILTER (WHERE b < 9) FROM q;
--> 6 | 5 | 9007199254740993 | 6
SELECT quantile_disc(b, 0.67) FROM q WHERE b > 0 GROUP BY d > 2 ORDER BY 1;
--> 6
--> 9007199254740993
SELECT quantile_disc(v, 0.5) FROM h;
--> 0.0000000001
SELECT quantile_disc(b, 0.5) FROM q WHERE b < 0;
--> NULL
SELECT epoch_ms(TIMESTAMP '9263-09-14 04:49:03.234051'), epoch_ms(TIMESTAMP '1000-01-01 00:00:00.0015');
--> 230167025343234 | -30610223999998
