"""One Spark for all tests of the data path, and lakes on it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.spark.session.provider import SparkProvider
from tests.attached import attach_main
from tests.conftest import Place
from tests.spark.connect_server import connect_server

SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "4",
    # For programs that do much once: the second compiler of the JVM costs more than it gains.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}

CONNECT = os.environ.get("FORKLAKE_TEST_SPARK") == "connect"
"""Whether the tests run over Spark Connect: a process has sessions of one kind only."""


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a Spark Connect server."""
    with connect_server(SETTINGS) as address:
        yield address


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    """The session that a user gets who gives none, on two cores; or the client of a server like that."""
    if not CONNECT:
        yield SparkProvider(settings=SETTINGS).get()
        return
    client = SparkSession.builder.remote(request.getfixturevalue("server")).getOrCreate()
    yield client
    # A client that outlives its server tries for minutes to say goodbye.
    client.stop()


@pytest.fixture(scope="package", autouse=True)
def through_spark() -> Iterator[None]:
    """The subject here is the data path of Spark: small queries take it, too, unless a test says otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FORKLAKE_SMALL_QUERIES", "spark")
        yield


@dataclass(frozen=True, slots=True)
class Lakehouse:
    """A session with one catalog attached as `lake`, and where its files go."""

    session: Session
    lake: CatalogHandle
    data: Path
    place: Place

    @property
    def spark(self) -> SparkSession:
        return self.session.spark


def open_lakehouse(place: Place, folder: Path, spark: SparkSession | None) -> Lakehouse:
    """A new lake with the catalog `main`."""
    session = forklake.connect(spark=spark)
    lake = attach_main(session, place, folder)
    return Lakehouse(session, lake, folder / "data", place)


@pytest.fixture
def lakehouse(place: Place, tmp_path: Path, spark: SparkSession) -> Iterator[Lakehouse]:
    """A new lake on each backend in turn."""
    opened = open_lakehouse(place, tmp_path, spark)
    yield opened
    opened.session.close()


@pytest.fixture
def local(sqlite_place: Place, tmp_path: Path, spark: SparkSession) -> Iterator[Lakehouse]:
    """A new lake on SQLite alone, for what does not depend on the metadata database."""
    opened = open_lakehouse(sqlite_place, tmp_path, spark)
    yield opened
    opened.session.close()


@pytest.fixture(params=["root", "fork"])
def in_fork(request: pytest.FixtureRequest) -> bool:
    """Whether a test works in a fork of depth 2 that inherits half of its data, or in a root."""
    return bool(request.param == "fork")
