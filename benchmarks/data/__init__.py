"""Measurements of the data path: scans, appends and changes on Spark, against plain Spark on the same files."""
