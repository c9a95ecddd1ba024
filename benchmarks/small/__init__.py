"""Small work without Spark, beside DuckLake on DuckDB."""
