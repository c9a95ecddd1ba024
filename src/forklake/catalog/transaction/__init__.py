"""Transactions: staged changes on top of a snapshot, DDL and options, and the commit.

Imports `lakes` and `reading`.
"""
