"""A catalog as of a snapshot: its objects, its history, and the differences between two states.

Imports `lakes`.
"""
