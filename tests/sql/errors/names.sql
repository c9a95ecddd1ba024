-- what is not there is named, with what was meant
-- backend: sqlite
CREATE SCHEMA shop;
CREATE TABLE shop.orders (id BIGINT, item STRING);
CREATE TABLE customers (id BIGINT);
CREATE VIEW recent AS SELECT id FROM customers;
SELECT * FROM costumers;
--! Did you mean 'customers'?
SELECT * FROM shop.order;
--! Did you mean 'orders'?
SELECT * FROM lake.shop.ordrs;
--! Did you mean 'orders'?
SELECT * FROM lake.main.recents;
--! Did you mean 'recent'?
SELECT * FROM lakes.main.customers;
--! no catalog is attached as 'lakes'. Did you mean 'lake'?
SELECT itm FROM shop.orders;
--! `itm` cannot be resolved. Did you mean
INSERT INTO costumers VALUES (1);
--! Did you mean 'customers'?
INSERT INTO customers (idd) VALUES (1);
--! idd
UPDATE shop.orders SET itme = 'x';
--! Table 'orders' has no column 'itme' to set. Did you mean 'item'?
UPDATE shop.orders SET amout = amout + 1;
--! Table 'orders' has no column 'amout' to set.
UPDATE customers SET idd = 1 WHERE zz = 1;
--! Table 'customers' has no column 'idd' to set. Did you mean 'id'?
DELETE FROM shop.ordes;
--! Did you mean 'orders'?
MERGE INTO customers USING nothing s ON customers.id = s.id WHEN MATCHED THEN DELETE;
--! nothing
DROP TABLE costumers;
--! Did you mean 'customers'?
ALTER TABLE costumers ADD COLUMN x INT;
--! Did you mean 'customers'?
CREATE VIEW v AS SELECT * FROM costumers;
--! Did you mean 'customers'?
DROP SCHEMA shopp;
--! shopp
SELECT no_such_function(1);
--! no_such_function
