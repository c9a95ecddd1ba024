"""Queries over tables of the lake as queries for Spark: each name becomes a DataFrame, the rest of the text stays.

Imports everything above but `values` and `execution`.
"""
