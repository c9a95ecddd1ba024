"""Values in statements: literals that need no Spark, defaults, and texts for date and time columns.

Imports `queries`, because what is not a plain literal is a query.
"""
