CREATE TABLE o (v VARCHAR) SORTED BY (lower(v)); INSERT INTO o VALUES ('b'), ('a'); CALL lake.flush_inlined_data('o')
