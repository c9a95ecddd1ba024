"""Adding of existing Parquet files to a table without copying.

Imports `footers`, `commits` and `progress`.
"""
