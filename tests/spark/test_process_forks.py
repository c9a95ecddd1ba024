"""`os.fork` in a process that has a Spark."""

import multiprocessing
import os
from collections.abc import Callable

import pytest

from forklake.errors import QueryFailed
from tests.spark.conftest import Lakehouse

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def in_a_fork(work: Callable[[], str]) -> str:
    """What a process that is forked off says; nothing, if it fails."""
    reader, writer = os.pipe()
    child = multiprocessing.get_context("fork").Process(target=lambda: os.write(writer, work().encode()))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    return os.read(reader, 10_000).decode()


def test_spark_is_refused_in_the_new_process_and_goes_on_in_the_old_one(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "bigint"})
    table.append([(1,)])

    def query() -> str:
        try:
            local.session.sql("SELECT max(id) FROM t").to_arrow()
        except QueryFailed as error:
            return str(error)
        return "it worked"

    assert "only that one can use it" in in_a_fork(query)
    assert local.session.sql("SELECT max(id) FROM t").fetchall() == [(1,)]


def test_what_needs_no_spark_goes_on_in_both(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "bigint", "at": "timestamp"})

    def append() -> str:
        table.append([(1, None)])
        return str(table.count())

    assert in_a_fork(append) == "1"
    table.append([(2, None)])
    assert table.count() == 2


def test_a_new_process_closes_the_session_for_itself_alone(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "bigint"})
    table.append([(1,)])
    assert local.session.sql("SELECT max(id) FROM t").fetchall() == [(1,)]
    views = {view.name for view in local.spark.catalog.listTables()}

    def close() -> str:
        local.session.close()
        return "closed"

    assert in_a_fork(close) == "closed"
    assert {view.name for view in local.spark.catalog.listTables()} == views
    assert local.session.sql("SELECT max(id) FROM t").fetchall() == [(1,)]
