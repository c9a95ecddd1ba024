"""Command line. Implementations are imported when a command runs, so that help loads no database driver.

Imports everything; nothing imports it.
"""
