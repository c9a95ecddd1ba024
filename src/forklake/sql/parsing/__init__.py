"""Parses text to statements: tokens, one dataclass per statement, and the table references of a query.

Uses sqlglot and nothing of a session. Everything in `sql` may import it; it imports nothing of `sql`.
"""
