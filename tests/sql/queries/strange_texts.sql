-- strings, comments and braces in a query are nobody's names
-- backend: sqlite
CREATE TABLE t (id BIGINT, v STRING);
INSERT INTO t VALUES (1, 'it''s {x} -- no; comment /* at */ t');
SELECT v, '{0}', "{t}", '__forklake_frame_0', 'FROM t AT (VERSION => 1)' FROM t -- a comment; with a semicolon
;
--> it's {x} -- no; comment /* at */ t | {0} | {t} | __forklake_frame_0 | FROM t AT (VERSION => 1)
SELECT /* FROM nothing; */ id -- FROM nowhere
FROM t WHERE v LIKE '%{x}%' AND v LIKE '%''s%';
--> 1
SELECT 'a' 'b', 'it''s', "it""s", r'\n', 'tab\tend' FROM t;
--> ab | it's | it"s | \n | tab	end
SELECT 1 AS `a;b`, 2 AS `{x}`, 3 AS `select` FROM t;
--> 1 | 2 | 3
VALUES (1, 'x'), (2, NULL);
--> 1 | x
--> 2 | NULL
TABLE t;
SELECT id AS t FROM t WHERE t.id = 1;
--> 1
