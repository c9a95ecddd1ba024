"""Text to statements: tokens, one dataclass for each statement, and where a query names tables.

Knows sqlglot and nothing of a session. Everything in `sql` may import it; it imports nothing of `sql`.
"""
