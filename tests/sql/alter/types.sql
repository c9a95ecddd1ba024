-- types only become wider
-- oracle: yes
CREATE TABLE t (a TINYINT, b INTEGER, c FLOAT, d DECIMAL(5, 2), e VARCHAR);
INSERT INTO t VALUES (1, 2, 0.5, 1.25, 'x');
ALTER TABLE t ALTER COLUMN a SET DATA TYPE INTEGER;
ALTER TABLE t ALTER b SET DATA TYPE BIGINT;
ALTER TABLE t ALTER COLUMN c TYPE DOUBLE;
INSERT INTO t VALUES (100000, 10000000000, 0.1, 2, 'y');
SELECT a, b, c FROM t ORDER BY a;
--> 1 | 2 | 0.5
--> 100000 | 10000000000 | 0.1
ALTER TABLE t ALTER COLUMN a SET DATA TYPE TINYINT;
--! only widening type promotions are allowed
ALTER TABLE t ALTER COLUMN b SET DATA TYPE VARCHAR;
--! only widening type promotions are allowed
ALTER TABLE t ALTER COLUMN nothing SET DATA TYPE BIGINT;
--! nothing
ALTER TABLE t ALTER COLUMN b SET DATA TYPE BIGINT USING b + 1;
--! Column type cannot be modified using an expression
