"""Which files a scan or a delete must read, and what needs no file at all.

Imports `transaction`.
"""
