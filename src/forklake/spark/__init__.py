"""The data path: scan plans to DataFrames, DataFrames to files. Runs on the driver, on any Spark."""
