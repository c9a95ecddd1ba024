"""Small queries and changes of one table: recognised, and evaluated with Arrow on the driver without starting Spark.

Imports `values`, `session`, `binding`, `pruning` and `parsing`.
"""
