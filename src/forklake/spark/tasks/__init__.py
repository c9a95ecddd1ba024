"""What runs on executors, or on threads of the driver: PyArrow and the model, no Spark and no metadata database.

Its packages import each other in one direction: `files`, then `partitions` and `statistics`, then `types`.
"""
