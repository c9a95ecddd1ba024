"""Operations on a table, one function each: create, alter, append, delete, update, merge, read changes.

All interfaces call them: SQL statements and Python methods only parse their arguments.

The top of `spark`: imports all of it, and is called by `maintenance`, `sql` and `api`.
"""
