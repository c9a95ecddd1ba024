"""Conditions as predicates that choose files, where every part of the condition is known.

Imports `sql.parsing` only. What it cannot prove, it does not answer.
"""
