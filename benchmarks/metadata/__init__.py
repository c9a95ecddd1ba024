"""What the metadata store costs: forks, listings, commits. Run with `python -m benchmarks.metadata`."""
