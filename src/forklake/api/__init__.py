"""Python API: thin handles whose methods call the functions of the layers below.

Imports `sql` and everything below; only `cli` imports it.
"""
