"""Retention: expiry, garbage collection, files scheduled for deletion, and why a file is retained.

Imports `lakes`, `reading` and `transaction`.
"""
