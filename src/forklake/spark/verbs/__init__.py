"""What can be done to the rows of a table, a function for each: append, delete, update, merge, read changes.

The top of `spark`: imports all of it, and is called by `maintenance`, `sql` and `api`.
"""
