"""Functions and procedures of the lake, such as `ducklake_snapshots('lake')`: signatures and implementations.

Imports `binding`, `session`, `results` and `parsing`.
"""
