"""Texts of views and macros: stored relative to their catalog, and expanded where they are read.

Imports `functions`, `binding`, `session` and `parsing`.
"""
