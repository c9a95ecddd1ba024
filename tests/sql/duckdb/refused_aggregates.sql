-- aggregates of what Spark would take for numbers are refused
-- dialect: duckdb
-- backend: sqlite
CREATE TABLE y (s VARCHAR, z TIMESTAMPTZ, d DATE, h HUGEINT);
INSERT INTO y VALUES ('10', '2020-01-01 00:00:00+00', '2020-01-01', -12);
SELECT avg(z) FROM y;
--! avg of timestamptz is not supported
SELECT avg(d) FROM y;
--! avg of date is not supported
SELECT median(s) FROM y;
--! median of text is not supported
SELECT sum(s) FROM y;
--! sum of text is not supported
SELECT quantile_disc(s, 0.5) FROM y;
--! quantile of text is not supported
SELECT hex(h) FROM y;
--! HUGEINT
SELECT bin(h) FROM y;
--! HUGEINT
SELECT strptime('12/31/99', '%m/%d/%y');
--! years of two digits
SELECT string_split('a', s[9:]) FROM y;
--! empty separator
SELECT quantile_disc(5000000000::BIGINT, 0.25 + 0.25);
--! quantile_disc of BIGINT, HUGEINT and long decimals needs a number
SELECT gcd(6, 4), product(1);
--! Spark has none of this name
