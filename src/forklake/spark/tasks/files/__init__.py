"""Parquet files written and read on executors or on threads of the driver: data files, delete files, copies.

Imports `types`, `statistics` and `partitions`.
"""
