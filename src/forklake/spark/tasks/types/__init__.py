"""Column types in Arrow: as users see them, as files hold them, and the way from one to the other.

Imports nothing of `tasks`.
"""
