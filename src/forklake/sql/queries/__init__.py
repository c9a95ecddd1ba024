"""Rewrites queries over tables of the lake for Spark: names become DataFrames, the rest of the text is unchanged.

Imports everything in `sql` but `values` and `execution`.
"""
