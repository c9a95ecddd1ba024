"""The scripts of this folder share one Spark with the other tests."""

from tests.spark.conftest import spark as spark
