"""Where files are: the data path, its mark, and removing files from it.

Imports nothing of `spark` but `tasks`.
"""
