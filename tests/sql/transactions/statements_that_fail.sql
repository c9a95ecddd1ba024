-- a transaction with a failed statement can only be rolled back; BEGIN and COMMIT have their other spellings
-- backend: sqlite
CREATE TABLE t (id BIGINT NOT NULL);
START TRANSACTION;
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (NULL);
--! NOT NULL constraint failed
COMMIT;
--! A statement of the transaction has failed, so it was rolled back
SELECT count(*) FROM t;
--> 0
BEGIN TRANSACTION;
BEGIN;
--! cannot start a transaction within a transaction
INSERT INTO t VALUES (1);
END;
SELECT count(*) FROM t;
--> 1
ROLLBACK;
--! no transaction is active
BEGIN;
DETACH lake;
--! Cannot detach within a transaction
ABORT;
