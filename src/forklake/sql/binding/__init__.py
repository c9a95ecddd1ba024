"""Name resolution: tables, views and virtual columns, at the snapshot of the statement.

Imports `parsing`, `duckdb` and `session`.
"""
