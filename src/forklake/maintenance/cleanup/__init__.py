"""Files deleted after the proof that no catalog can see them: old ones, orphans, and those of failed transactions.

Imports nothing of `maintenance` but `progress`.
"""
