"""Metadata as rows: the tables, and the only SQL written against them.

Only `catalog` may import it.
"""
