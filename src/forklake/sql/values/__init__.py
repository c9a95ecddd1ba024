"""Values in statements: literals that need no Spark, defaults, and texts for date and time columns.

Imports `queries`, because anything but a plain literal is a query, and what that imports.
"""
