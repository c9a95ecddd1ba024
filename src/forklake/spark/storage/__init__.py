"""Storage of files: the data path, its ownership marker, and removal of files.

Imports nothing from `spark`.
"""
