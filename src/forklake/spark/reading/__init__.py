"""Scan plans to DataFrames: files by group, deleted rows left out, inlined rows beside them, and the caches of scans.

Imports `values`, `session`, `storage` and `work`.
"""
