"""Files that others have written become files of a table, as they are.

Imports `footers`.
"""
