"""Operations on a table, one function each: create, alter, append, delete, update, merge, read changes.

Every entrance calls them: a statement of SQL and a method in Python only read their arguments.

The top of `spark`: imports all of it, and is called by `maintenance`, `sql` and `api`.
"""
