"""DuckDB's SQL translated to Spark's: the same answers, or a refusal.

Pure functions over syntax trees. Imports `sql.parsing` only.
"""
