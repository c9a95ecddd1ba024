"""Generated statements are judged by the Spark that the other tests use."""

from tests.spark.conftest import server as server
from tests.spark.conftest import spark as spark
