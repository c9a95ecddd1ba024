"""Compaction, cleanup, verification, and files that are added: work that keeps a lake in shape and may be run again.

Imports `spark` and `catalog`; `sql`, `api` and `cli` import it.
"""
