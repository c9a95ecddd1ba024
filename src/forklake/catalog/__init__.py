"""The operations of a catalog: transactions on top of the store, without Spark and Parquet.

Its packages import each other in one direction: `planning` and `retention`, then `transaction`, then `reading` and
`checks`, then `lakes`. Imports `store` and `model`; imported by everything above.
"""
