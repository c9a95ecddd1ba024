"""`python -m forklake` is the command line."""

from forklake.cli.main import main

main()
