-- What means the same on a Spark that has QUALIFY, and FILTER in windows: 4.2 and newer.

SELECT DISTINCT ON (team) team, name FROM people ORDER BY team, pay DESC;
SELECT DISTINCT ON (team) * FROM people ORDER BY team, name DESC;
SELECT DISTINCT ON (g) g, min(i) AS m FROM nums GROUP BY g ORDER BY g;
SELECT name FROM people QUALIFY row_number() OVER (PARTITION BY team ORDER BY pay DESC) = 1 ORDER BY name;
SELECT team, rank() OVER (ORDER BY pay) AS r FROM people QUALIFY r < 3 ORDER BY r;
SELECT i, sum(i) FILTER (WHERE i > 0) OVER (ORDER BY i) AS s FROM nums ORDER BY i;
