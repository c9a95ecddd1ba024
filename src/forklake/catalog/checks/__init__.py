"""Whether the metadata of a catalog agrees with itself. Everything here reads, and nothing writes.

Imports `lakes`.
"""
