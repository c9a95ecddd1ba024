"""A catalog as of a snapshot: its objects, its history, and comparison of states.

Imports `lakes`.
"""
