"""Translates DuckDB SQL to Spark SQL: the same results, or a refusal.

Pure functions over syntax trees. Imports `sql.parsing` only.
"""
