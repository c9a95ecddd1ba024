"""Code for executors or threads of the driver: PyArrow and the model, without Spark and metadata database.

Its packages import each other in one direction: `files`, then `partitions` and `statistics`, then `types`.
"""
