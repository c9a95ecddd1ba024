"""Writing of rows: matched to columns, checked, ordered, written to files, and staged in the transaction.

Imports `reading` and what that imports.
"""
