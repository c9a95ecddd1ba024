"""Scans: scan plans to DataFrames, deleted rows, inlined rows, and caches.

Imports `values`, `session`, `storage` and `work`.
"""
