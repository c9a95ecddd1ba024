"""The functions and procedures of the lake, such as `ducklake_snapshots('lake')`: their signatures, and what they do.

Imports `binding`, `session`, `results` and `parsing`.
"""
