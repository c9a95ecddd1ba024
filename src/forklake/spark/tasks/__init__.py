"""What runs beside the rows: on executors, or on threads of the driver. No Spark and no metadata database."""
