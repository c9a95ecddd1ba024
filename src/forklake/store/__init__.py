"""Metadata as rows: the tables, and all SQL against them.

Imports `model`; only `catalog` may import it.
"""
