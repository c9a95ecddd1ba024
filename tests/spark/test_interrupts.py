"""Ctrl-C in the middle of a statement."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from forklake.errors import ForklakeError
from forklake.spark.session.interrupts import interruptible
from tests.spark.conftest import Lakehouse
from tests.spark.inside import files_below

ENDLESS = "(SELECT id, id AS g FROM range(1000000000000000))"
LONG = "(SELECT id, id AS g FROM range(20000000))"
"""What is written ends by itself: tasks that are just being started when their job is cancelled go on."""


@contextmanager
def interrupted_when_it_runs(lakehouse: Lakehouse) -> Iterator[None]:
    """Send the signal of Ctrl-C as soon as Spark has a job."""
    done = threading.Event()
    tracker = lakehouse.spark.sparkContext.statusTracker()

    def send() -> None:
        while not done.is_set() and not tracker.getActiveJobsIds():
            time.sleep(0.02)
        if not done.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        done.set()
        sender.join()


def wait_for_the_end_of_all_jobs(lakehouse: Lakehouse) -> None:
    """Spark tells of it a little later than who has asked for the job."""
    while lakehouse.spark.sparkContext.statusTracker().getActiveJobsIds():
        time.sleep(0.02)


STATEMENTS: dict[str, Callable[[Lakehouse], Any]] = {
    "a query": lambda lh: lh.session.sql(f"SELECT max(id) FROM {ENDLESS}").to_arrow(),
    "an insert by Spark": lambda lh: lh.session.sql(f"INSERT INTO t SELECT * FROM {LONG}"),
    "an insert by PyArrow": lambda lh: lh.session.sql(f"INSERT INTO parted SELECT id, g % 2 FROM {LONG}"),
    "an update": lambda lh: lh.session.sql(f"UPDATE t SET g = s.g FROM {ENDLESS} AS s WHERE t.id = s.id % 2"),
    "an append in Python": lambda lh: lh.lake.table("t").append(lh.spark.sql(f"SELECT * FROM {LONG}")),
}


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_an_interrupt_is_raised_as_it_is_and_leaves_a_session_that_works(
    local: Lakehouse, statement: Callable[[Lakehouse], Any]
) -> None:
    local.lake.create_table("t", {"id": "bigint", "g": "bigint"}).append([(number, 1) for number in range(100)])
    local.lake.create_table("parted", {"id": "bigint", "g": "bigint"}, partitioned_by=["g"])
    with pytest.raises(KeyboardInterrupt), interrupted_when_it_runs(local):
        statement(local)
    wait_for_the_end_of_all_jobs(local)
    assert local.session.sql("SELECT count(*), sum(g) FROM t").fetchall() == [(100, 100)]
    local.session.sql("INSERT INTO t SELECT 1, 1")
    assert local.lake.table("t").count() == 101


def test_an_error_of_whoever_handles_an_interrupt_is_no_interrupt(local: Lakehouse) -> None:
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        with pytest.raises(ForklakeError):
            local.session.sql("SELECT * FROM nothing")


def test_an_interrupt_in_a_transaction_leaves_it_to_be_rolled_back(local: Lakehouse) -> None:
    local.lake.create_table("t", {"id": "bigint", "g": "bigint"})

    def transact() -> None:
        with local.session.transaction(), interrupted_when_it_runs(local):
            local.lake.table("t").append([(number, 1) for number in range(100)])
            local.session.sql(f"INSERT INTO t SELECT * FROM {ENDLESS} WHERE id < 0")

    with pytest.raises(KeyboardInterrupt):
        transact()
    assert local.lake.table("t").count() == 0
    assert files_below(local.data) == set()


def test_a_job_that_starts_after_the_interrupt_is_cancelled_too(local: Lakehouse) -> None:
    ended = threading.Event()

    def run_later() -> None:
        # As the JVM does with a call that nobody waits for any more.
        time.sleep(0.2)
        try:
            local.spark.sql(f"SELECT max(id) FROM {ENDLESS}").collect()
        except Exception:
            ended.set()

    later = threading.Thread(target=run_later, daemon=True)
    later.start()
    with pytest.raises(KeyboardInterrupt), interruptible():
        raise KeyboardInterrupt
    ended.wait()
    wait_for_the_end_of_all_jobs(local)
