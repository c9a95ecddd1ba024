"""Footers of files that others have written, read with care: one may be wrong, or crash the reader.

Imports nothing of `maintenance`.
"""
