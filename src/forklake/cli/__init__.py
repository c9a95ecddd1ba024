"""The command line. What a command does is imported when it runs: help must not wait for a database driver."""
