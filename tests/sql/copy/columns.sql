-- the columns that COPY is given are those of the table, each once
-- backend: sqlite
CREATE TABLE t (id INT, s STRING);
COPY t (id, ID) FROM '{folder}/nothing.csv';
--! named twice
COPY t (id, other) FROM '{folder}/nothing.csv';
--! does not have a column
INSERT INTO t VALUES (1, 'pen');
COPY t TO '{folder}/rows' (FORMAT parquet);
COPY t (id) FROM '{folder}/rows' (FORMAT parquet);
SELECT * FROM t ORDER BY s NULLS LAST;
--> 1 | pen
--> 1 | NULL
COPY t TO '{folder}/rows' (FORMAT parquet, OVERWRITE_OR_IGNORE true);
--! has no option OVERWRITE_OR_IGNORE
