"""Maintenance that is killed half-way: nothing that a kept snapshot shows is lost, and going on finishes the work."""

import multiprocessing
import os
import random
from pathlib import Path
from queue import Empty

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from forklake.api.catalog import CatalogHandle
from tests.conftest import Place
from tests.effort import examples
from tests.spark.conftest import Lakehouse, open_lakehouse
from tests.spark.every_snapshot import Reader, Tables, named_files, parquet_files
from tests.spark.killed_upkeep import OPERATIONS, run

KILLS = int(os.environ.get("FORKLAKE_KILLS", examples(2)))
"""For each operation."""
LIMIT_SECONDS = 120

context = multiprocessing.get_context("forkserver")
context.set_forkserver_preload(["tests.spark.killed_upkeep"])


def make_garbage(lake: CatalogHandle, rng: random.Random) -> None:
    """Work for every operation: small files, deleted rows, inlined rows, forks, dropped catalogs and orphans."""
    if not lake.has_table("t"):
        lake.set_option("data_inlining_row_limit", 2)
        lake.create_table("t", {"id": "bigint", "v": "varchar"})
    table = lake.table("t")
    for size in (5, 5, 1, 5, 2):
        first = rng.randrange(2**40)
        table.append(pa.table({"id": range(first, first + size), "v": ["x"] * size}))
    table.delete(f"id % 3 = {rng.randrange(3)}")
    table.append(pa.table({"id": [rng.randrange(2**40) for _ in range(4)], "v": ["y"] * 4}))
    for name in ("victim", "gone"):
        fork = lake.fork(name)
        fork.table("t").append(pa.table({"id": [1, 2, 3], "v": ["a", "b", "c"]}))
    lake.drop_catalog("gone")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("operation", list(OPERATIONS))
def test_a_killed_operation_loses_nothing_and_can_be_run_again(
    place: Place, tmp_path: Path, spark: SparkSession, operation: str
) -> None:
    house = open_lakehouse(place, tmp_path, spark)
    rng, lake = random.Random(f"{operation} {place.backend}"), house.lake
    store = lake._attachment.lake
    reader = Reader(store, house.data)
    killed, happened = 0, 20
    for _ in range(KILLS):
        _prepare(house, operation, rng)
        before = reader.everything()
        last = rng.randrange(1, happened)
        outcome = _run(place, operation, last)
        killed += outcome is None
        _check(before, reader, operation)
        happened = _run(place, operation, None) or happened
        _check(before, reader, operation)
    assert killed > 0, "nobody was ever killed"
    for name in ("victim",):
        if name in reader.everything():
            lake.drop_catalog(name)
    lake.cleanup_old_files(cleanup_all=True)
    lake.delete_orphaned_files(cleanup_all=True)
    lake.cleanup_dropped_catalogs(cleanup_all=True)
    assert parquet_files(house.data) == named_files(store)
    house.session.close()


def _prepare(house: Lakehouse, operation: str, rng: random.Random) -> None:
    lake = house.lake
    lake.drop_catalog("victim") if "victim" in _names(house) else None
    make_garbage(lake, rng)
    if operation in ("cleanup", "orphans"):
        lake.expire_snapshots(versions=[found.snapshot_id for found in lake.snapshots()[1:-1]])
    orphan = house.data / "main" / "main" / "t" / "orphan.parquet"
    orphan.parent.mkdir(parents=True, exist_ok=True)
    orphan.write_bytes(b"nobody knows me")


def _names(house: Lakehouse) -> set[str]:
    return {name for (name,) in house.session.sql("SELECT catalog_name FROM lake.catalogs()").fetchall()}


def _run(place: Place, operation: str, last: int | None) -> int | None:
    """How many things were done; None if it was killed."""
    told = context.Queue()
    process = context.Process(target=run, args=(place, operation, last, told))
    process.start()
    process.join(LIMIT_SECONDS)
    assert process.exitcode in (0, -9), f"ended with {process.exitcode}"
    try:
        return int(told.get(timeout=5)) if process.exitcode == 0 else None
    except Empty:
        return None


def _check(before: dict[str, dict[int, Tables]], reader: Reader, operation: str) -> None:
    """Whatever is still there is as it was; only the operation itself may have let go of snapshots or a catalog."""
    after = reader.everything()
    assert before.keys() - after.keys() <= ({"victim"} if operation == "drop" else set())
    for name, history in after.items():
        lost = before[name].keys() - history.keys()
        assert not lost or operation == "expire"
        assert {at: history[at] for at in before[name].keys() & history.keys()} == {
            at: before[name][at] for at in before[name].keys() & history.keys()
        }
        head = max(before[name])
        assert all(history[at] == before[name][head] for at in history.keys() - before[name].keys())
