"""The command line. What a command does is imported when it runs, so that help waits for no database driver.

Imports everything; nothing imports it.
"""
