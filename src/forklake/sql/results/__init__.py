"""Results of statements: Arrow rows, and tables drawn from them.

Everything in `sql` and above may import it; it imports nothing of `sql`.
"""
