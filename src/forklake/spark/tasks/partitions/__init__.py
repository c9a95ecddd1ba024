"""Partition values of the rows of a batch.

Imports `types`.
"""
