"""Values that statements write down: literals that need no Spark, defaults, and texts that columns take as times.

Imports `queries`, because what is not a plain literal is a query.
"""
