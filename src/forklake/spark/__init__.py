"""The data path: scan plans to DataFrames, DataFrames to files. Runs on the driver, on any Spark.

Its packages import each other in one direction: `verbs`, `writing`, `reading`, `values`, then `session` and `storage`,
then `tasks`. Imports `catalog` and below; `maintenance` and everything above import it.
"""
