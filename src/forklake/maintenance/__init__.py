"""Maintenance: compaction, cleanup, verification, and adding of files. All operations can be repeated.

Its packages import each other in one direction: `adding`, `compaction` and `verification`, then `cleanup` and
`footers`. Imports `spark` and `catalog`; imported by `sql`, `api` and `cli`.
"""
