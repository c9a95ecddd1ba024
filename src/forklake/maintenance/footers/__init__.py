"""Careful reading of footers of foreign files, which may be invalid or crash the reader.

Imports nothing from `maintenance`.
"""
