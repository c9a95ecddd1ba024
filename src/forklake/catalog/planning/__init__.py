"""Planning: the files that a scan or delete must read, and what can be answered without files.

Imports `transaction`.
"""
