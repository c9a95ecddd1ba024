"""The metadata beneath a lakehouse, for tests that look at it or change it directly."""

from collections.abc import Iterator
from contextlib import contextmanager

from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.lakes.open_lake import open_lake
from tests.spark.conftest import Lakehouse


@contextmanager
def catalog_of(lakehouse: Lakehouse) -> Iterator[Catalog]:
    """The catalog `main` of the lake, without Spark."""
    lake = open_lake(lakehouse.place.url, metadata_schema=lakehouse.place.metadata_schema)
    try:
        yield find_catalog(lake, "main")
    finally:
        lake.close()
