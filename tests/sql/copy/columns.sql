-- the columns that COPY is given are those of the table, each once
-- backend: sqlite
CREATE TABLE t (id INT, s STRING);
COPY t (id, ID) FROM '{folder}/nothing.csv';
--! named twice
COPY t (id, other) FROM '{folder}/nothing.csv';
--! does not have a column
