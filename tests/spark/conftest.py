"""One Spark for all tests of the data path, and lakes on it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.spark.session.provider import SparkProvider
from tests.attached import attach_main
from tests.conftest import Place
from tests.s3_server import S3Server, s3_server
from tests.spark.connect_server import connect_server
from tests.spark_settings import SETTINGS as SETTINGS

CONNECT = os.environ.get("FORKLAKE_TEST_SPARK") == "connect"
"""Whether the tests run over Spark Connect: a process has sessions of one kind only."""
S3 = os.environ.get("FORKLAKE_TEST_STORE") == "s3"
"""Whether data paths are on an object store."""


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a Spark Connect server."""
    with connect_server(SETTINGS) as address:
        yield address


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """An object store that this process and those that it starts can use."""
    with s3_server(tmp_path_factory.mktemp("s3")) as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server


@pytest.fixture(scope="session")
def bucket(request: pytest.FixtureRequest) -> Path | None:
    """Where objects are stored as files, if data paths are on an object store."""
    return request.getfixturevalue("s3").bucket if S3 else None


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    """The session that a user gets who gives none, on two cores; or the client of a server like that."""
    if not CONNECT:
        store = request.getfixturevalue("s3").spark_settings if S3 else {}
        yield SparkProvider(settings={**SETTINGS, **store}).get()
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


def open_lakehouse(place: Place, folder: Path, spark: SparkSession | None, bucket: Path | None = None) -> Lakehouse:
    """A new lake with the catalog `main`, with its files in the folder or in a bucket."""
    session = forklake.connect(spark=spark)
    if bucket is None:
        return Lakehouse(session, attach_main(session, place, folder), folder / "data", place)
    key = uuid4().hex
    lake = attach_main(session, place, folder, data_path=f"s3://{bucket.name}/{key}")
    return Lakehouse(session, lake, bucket / key, place)


@pytest.fixture
def lakehouse(place: Place, tmp_path: Path, spark: SparkSession, bucket: Path | None) -> Iterator[Lakehouse]:
    """A new lake on each backend in turn."""
    opened = open_lakehouse(place, tmp_path, spark, bucket)
    yield opened
    opened.session.close()


@pytest.fixture
def local(sqlite_place: Place, tmp_path: Path, spark: SparkSession, bucket: Path | None) -> Iterator[Lakehouse]:
    """A new lake on SQLite alone, for what does not depend on the metadata database."""
    opened = open_lakehouse(sqlite_place, tmp_path, spark, bucket)
    yield opened
    opened.session.close()


@pytest.fixture(params=["root", "fork"])
def in_fork(request: pytest.FixtureRequest) -> bool:
    """Whether a test works in a fork of depth 2 that inherits half of its data, or in a root."""
    return bool(request.param == "fork")
