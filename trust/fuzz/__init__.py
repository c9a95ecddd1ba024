"""Input as an attacker gives it: statements, names, Parquet files, metadata rows; and a look for passwords."""
