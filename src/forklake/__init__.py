"""Forklake: a lakehouse on Spark whose catalogs fork in milliseconds."""

__version__ = "0.1.0"
