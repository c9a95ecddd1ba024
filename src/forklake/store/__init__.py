"""Metadata as rows: the tables, and all SQL against them.

Only `catalog` may import it.
"""
