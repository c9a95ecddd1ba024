"""Bounds and counts of columns: from the footers of files, and from rows that are in no file.

Imports `types`.
"""
