"""The scripts of this folder share one Spark with the other tests."""

import pytest

from tests.spark.conftest import server as server
from tests.spark.conftest import spark as spark


@pytest.fixture(autouse=True)
def no_views_of_others(request: pytest.FixtureRequest) -> None:
    """A view that another test has left in Spark would answer for a table that is not there."""
    if "spark" in request.fixturenames:
        session = request.getfixturevalue("spark")
        for view in session.sql("SHOW VIEWS").collect():
            if view.isTemporary:
                session.catalog.dropTempView(view.viewName)
