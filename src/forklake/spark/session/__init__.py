"""The Spark session, started on demand or provided by the user: settings, errors, and Ctrl-C.

Imports nothing from `spark`.
"""
