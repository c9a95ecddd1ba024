"""`python -m forklake` is the command line."""

from forklake.cli.start import main

main()
