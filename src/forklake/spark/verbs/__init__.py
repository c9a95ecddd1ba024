"""Operations on the rows of a table, one function each: append, delete, update, merge, read changes.

The top of `spark`: imports all of it, and is called by `maintenance`, `sql` and `api`.
"""
