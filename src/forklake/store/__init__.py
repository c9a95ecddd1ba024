"""Metadata as rows: the tables, and all SQL against them.

May be imported by `catalog` only.
"""
