"""A driver that is killed leaves the table as it was before an operation or as it is after it, and orphans."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from forklake.catalog.planning.scan_planning import plan_scan
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from tests.spark.conftest import Lakehouse
from tests.spark.crash_operations import Operation, Rows, outcome

KILLS = int(os.environ.get("FORKLAKE_KILLS", "2"))
"""How many drivers are killed, half of them by each of the two tests."""

MOST_LINES = 12
"""That a driver notes before it is killed: two for each operation."""


@pytest.mark.parametrize("partitioned", [True, False], ids=["written by Arrow", "written by Spark"])
def test_a_killed_driver_leaves_the_table_before_or_after_an_operation(partitioned: bool, lakehouse: Lakehouse) -> None:
    seed = int(os.environ.get("FORKLAKE_SEED", "1"))
    lakehouse.lake.create_table(
        "t", {"id": "bigint", "v": "bigint"}, partitioned_by=[("id", "bucket(2)")] * partitioned
    )
    lakehouse.lake.set_option("data_inlining_row_limit", 10)
    lakehouse.lake.table("t").append([(n, 0) for n in range(1000)])
    rows = dict.fromkeys(range(1000), 0)
    rng = random.Random(seed)
    for _ in range(max(1, KILLS // 2)):
        rows = check(lakehouse, rows, killed_driver(lakehouse, rng))


def killed_driver(lakehouse: Lakehouse, rng: random.Random) -> list[Operation | str]:
    """Start a driver, kill it and its Spark in the midst of its work, and return what it has noted."""
    log = lakehouse.data.parent / f"log-{rng.getrandbits(32)}"
    place = {"target": lakehouse.place.url, "metadata_schema": lakehouse.place.metadata_schema}
    driver = subprocess.Popen(
        [sys.executable, "-m", "tests.spark.crash_operations", json.dumps(place), str(log), str(rng.getrandbits(32))],
        cwd=Path(__file__).parents[2],
        # A group of its own: the JVM dies with it.
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        lines = 1 + rng.randrange(MOST_LINES)
        while not (log.exists() and log.read_text().count("\n") >= lines):
            assert driver.poll() is None, driver.communicate()[1].decode()[-2000:]
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.5))
        assert driver.poll() is None, driver.communicate()[1].decode()[-2000:]
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.communicate()
    return [json.loads(line) for line in log.read_text().splitlines()[1:] if line]


def check(lakehouse: Lakehouse, rows: Rows, noted: list[Operation | str]) -> Rows:
    """The table holds what was committed, and perhaps what was under way; returns what it holds."""
    under_way: Operation | None = None
    for line in noted:
        if isinstance(line, dict):
            under_way = line
        elif under_way is not None:
            rows, under_way = outcome(under_way, rows), None
    table = lakehouse.lake.table("t")
    found = dict(table.scan().fetchall())
    possible = [rows] if under_way is None else [rows, outcome(under_way, rows)]
    assert found in possible, f"{under_way} after {noted}"
    assert table.count() == len(found)
    check_files(lakehouse)
    return found


def check_files(lakehouse: Lakehouse) -> None:
    """Every file that the table has is there, whole, and so is what it had before; others are in nobody's way."""
    transaction = begin(lakehouse.lake._attachment.catalog)
    plan = plan_scan(transaction, get_table(transaction, "main", "t"))
    referenced = {file.data.path: file.data.file_size_bytes for file in plan.files}
    referenced |= {file.delete.path: file.delete.file_size_bytes for file in plan.files if file.delete}
    assert {path: (lakehouse.data / path).stat().st_size for path in referenced} == referenced
    before = lakehouse.lake.snapshots()[-2].snapshot_id
    table = lakehouse.lake.table("t")
    assert table.to_spark(version=before).count() == table.count(version=before)
