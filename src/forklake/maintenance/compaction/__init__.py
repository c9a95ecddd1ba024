"""Compaction: merge, rewrite and flush, which move rows to fewer, larger or cleaner files.

Imports nothing from `maintenance` but `commits` and `progress`.
"""
