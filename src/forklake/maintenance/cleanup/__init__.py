"""Deletion of files that no catalog can see: old files, orphans, and files of failed transactions.

Imports nothing from `maintenance` but `progress`.
"""
