"""Column types in Arrow: as shown to users, as stored in files, and their conversion.

Imports nothing from `tasks`.
"""
