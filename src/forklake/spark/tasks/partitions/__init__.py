"""The partition of each row of a batch.

Imports `types`.
"""
