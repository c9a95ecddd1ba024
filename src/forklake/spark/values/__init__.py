"""Conversion of types and values between Spark, Arrow and the columns of a table.

Imports `session` and `tasks`.
"""
