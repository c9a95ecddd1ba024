"""One function for each kind of statement, and `execute`, which chooses it.

The top of `sql`: imports all of it, and only `api` and `cli` import it.
"""
