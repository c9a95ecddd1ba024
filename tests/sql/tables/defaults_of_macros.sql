-- a default is no macro: that may change, or be dropped
CREATE MACRO five() AS 5;
CREATE TABLE with_macro (a INT DEFAULT five(), b INT);
--! must not call a macro
CREATE TABLE t (a INT, b INT);
ALTER TABLE t ALTER COLUMN a SET DEFAULT main.five();
--! must not call a macro
