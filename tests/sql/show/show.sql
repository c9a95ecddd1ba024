-- what there is
-- backend: sqlite
CREATE SCHEMA s;
CREATE TABLE t (id BIGINT NOT NULL, v VARCHAR DEFAULT 'x', d DECIMAL(5, 1), l ARRAY<INT>);
CREATE TABLE s.u (id BIGINT);
CREATE VIEW w AS SELECT id, v FROM t;
SHOW TABLES;
--> t
--> w
SHOW TABLES FROM s;
--> u
SHOW TABLES IN lake.s;
--> u
SHOW VIEWS;
--> lake | main | w | SELECT id, v FROM `main`.`t` AS `t`
SHOW SCHEMAS;
--> lake | main | true
--> lake | s | false
SHOW DATABASES;
--> lake
SHOW ALL TABLES;
--> lake | main | t | [id, v, d, l] | [BIGINT, VARCHAR, DECIMAL(5,1), INTEGER[]] | false
--> lake | main | w | [] | [] | false
--> lake | s | u | [id] | [BIGINT] | false
DESCRIBE t;
--> id | BIGINT | NO | NULL | NULL | NULL
--> v | VARCHAR | YES | NULL | 'x' | NULL
--> d | DECIMAL(5,1) | YES | NULL | NULL | NULL
--> l | INTEGER[] | YES | NULL | NULL | NULL
DESC TABLE w;
--> id | BIGINT | YES | NULL | NULL | NULL
--> v | VARCHAR | YES | NULL | NULL | NULL
DESCRIBE SELECT count(*) AS n, 'x' AS s FROM t;
--> n | BIGINT | YES | NULL | NULL | NULL
--> s | VARCHAR | YES | NULL | NULL | NULL
SHOW COLUMNS FROM t;
--> id | BIGINT | NO | NULL | NULL | NULL
--> v | VARCHAR | YES | NULL | 'x' | NULL
--> d | DECIMAL(5,1) | YES | NULL | NULL | NULL
--> l | INTEGER[] | YES | NULL | NULL | NULL
SHOW t;
--> id | BIGINT | NO | NULL | NULL | NULL
--> v | VARCHAR | YES | NULL | 'x' | NULL
--> d | DECIMAL(5,1) | YES | NULL | NULL | NULL
--> l | INTEGER[] | YES | NULL | NULL | NULL
DESCRIBE nothing;
--! 'main.nothing' does not exist
SHOW TABLES FROM nowhere;
--! nowhere
