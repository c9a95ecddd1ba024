"""What can be done to the rows of a table, a function for each: append, delete, update, merge, read changes.

The top of `spark`: `maintenance`, `sql` and `api` call it.
"""
