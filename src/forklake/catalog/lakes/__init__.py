"""Lakes and catalogs: open, create, find, fork, rename, drop; retries after transient database failures.

Imports nothing from `catalog`.
"""
