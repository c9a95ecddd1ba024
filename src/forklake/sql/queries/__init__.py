"""Rewrites queries over tables of the lake for Spark: names become DataFrames, the rest of the text is unchanged.

Imports everything above but `values` and `execution`.
"""
