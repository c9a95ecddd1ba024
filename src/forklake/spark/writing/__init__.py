"""Rows to files: matched to the columns, checked, ordered, written, and staged into the transaction.

Imports `reading` and what that imports.
"""
