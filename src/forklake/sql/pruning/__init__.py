"""Converts conditions to predicates that prune files, as far as every part of the condition is known.

Imports `sql.parsing` only. What it cannot prove, it does not answer.
"""
