"""A catalog checked: its metadata against itself, and against the files in storage.

Imports `footers` and `cleanup`.
"""
