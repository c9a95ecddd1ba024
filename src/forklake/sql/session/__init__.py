"""Session state: attachments, settings, and the transactions of its statements.

Imports `sql.pruning` for the rules by which constants compare. Everything below a statement takes a `SessionState`.
"""
