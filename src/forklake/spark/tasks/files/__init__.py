"""Reading and writing of Parquet files on executors or threads of the driver: data files, delete files, copies.

Imports `types`, `statistics` and `partitions`.
"""
