"""Maintenance: compaction, cleanup, verification, and adding of files. All operations can be repeated.

Imports `spark` and `catalog`; imported by `sql`, `api` and `cli`.
"""
