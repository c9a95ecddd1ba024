"""Transactions: staged changes on top of a snapshot, DDL and options that stage them, and the commit.

Imports `lakes` and `reading`.
"""
