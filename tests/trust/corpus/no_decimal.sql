SELECT * FROM lake.table_changes('t', 1_000e5_, 2)
