"""Rows moved to fewer, larger or cleaner files: merge, rewrite and flush, table by table.

Imports nothing of `maintenance` but `progress`.
"""
