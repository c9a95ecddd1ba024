"""One function per kind of statement, and `execute`, which dispatches to it.

The top of `sql`: imports all of it, and only `api` and `cli` import it.
"""
