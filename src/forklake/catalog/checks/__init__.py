"""Consistency checks of the metadata of a catalog. Read-only.

Imports `lakes`.
"""
