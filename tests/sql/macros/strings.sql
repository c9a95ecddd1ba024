-- arguments are put in as they are, strings and names alike
-- backend: sqlite
CREATE TABLE t (x STRING, body STRING);
INSERT INTO t VALUES ('it''s', 'b');
CREATE MACRO shout(x) AS concat(x, '!');
SELECT shout(body), shout('x'), shout("it's; --"), shout(concat(x, body)) FROM t;
--> b! | x! | it's; --! | it'sb!
CREATE MACRO field_of(s) AS s.a;
SELECT field_of(named_struct('a', 5));
--> 5
SELECT lake.main.shout('y'), main.shout('z');
--> y! | z!
CREATE MACRO loop(x) AS loop(x) + 1;
SELECT loop(1);
--! refers to itself
