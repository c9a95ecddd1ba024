"""The Spark session: started on first need or given, its settings, its errors, and Ctrl-C.

Imports nothing of `spark`.
"""
