"""Small queries of one table: recognised, and answered from Arrow tables on the driver without starting Spark.

Imports `binding`, `parsing` and `pruning`.
"""
