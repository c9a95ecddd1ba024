-- a macro that nobody could call, as a function has its name, is refused
-- backend: sqlite
CREATE MACRO upper(x) AS 'mine';
--! that of a function
CREATE MACRO explode(a) AS TABLE SELECT a AS id;
--! that of a function
CREATE MACRO upper_too(x) AS upper(x);
SELECT upper_too('a');
--> A
