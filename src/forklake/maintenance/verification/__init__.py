"""Verification of a catalog: consistency of its metadata, and comparison with the files in storage.

Imports `footers`, `cleanup` and `progress`.
"""
