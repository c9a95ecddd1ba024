"""The data path: scan plans to DataFrames, DataFrames to files. Runs on the driver, with any Spark.

Its packages import each other in one direction: `verbs`, `writing`, `reading`, `values`, then `session` and `storage`,
then `tasks`. Imports `catalog` and below; imported by `maintenance` and everything above.
"""
