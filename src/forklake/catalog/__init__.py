"""The operations of a catalog: transactions on top of the store, without Spark and Parquet.

`lakes`, `reading`, `transaction`, `planning`, `retention` and `checks` import each other in that order only.
"""
