"""Lakes and catalogs: open, create, find, fork, rename, drop, and retry what a database refuses for a moment.

Imports nothing of `catalog`.
"""
