"""What a catalog is and may do. Transactions over the store; no Spark and no Parquet.

`lakes`, `reading`, `transaction`, `planning`, `retention` and `checks` import each other in that order only.
"""
