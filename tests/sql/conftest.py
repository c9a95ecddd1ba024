"""The scripts of this folder share one Spark with the other tests, which compiles nothing for their few rows."""

from collections.abc import Iterator

import pytest

from tests.spark.conftest import server as server
from tests.spark.conftest import spark as spark
from trust.answers.subject import light


@pytest.fixture(autouse=True)
def own_spark(request: pytest.FixtureRequest) -> Iterator[None]:
    """Spark with settings for few rows, and without views of other tests, which would answer for missing tables."""
    if "spark" not in request.fixturenames:
        yield
        return
    session = request.getfixturevalue("spark")
    for view in session.sql("SHOW VIEWS").collect():
        if view.isTemporary:
            session.catalog.dropTempView(view.viewName)
    with light(session):
        yield
