"""Bounds and counts of columns, from the footers of files or from rows in memory.

Imports `types`.
"""
