-- a macro that nobody could call, as a function has its name, is refused
-- backend: sqlite
CREATE MACRO upper(x) AS 'mine';
--! the function of this name
CREATE MACRO explode(a) AS TABLE SELECT a AS id;
--! the function of this name
CREATE MACRO upper_too(x) AS upper(x);
SELECT upper_too('a');
--> A
