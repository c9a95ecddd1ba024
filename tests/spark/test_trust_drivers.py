"""The check of what killed drivers leave: sound lakes pass, and bugs of every kind are noticed."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from trust.drivers.checker import Checker, explain_failures
from trust.drivers.lake import Place, create_lake
from trust.drivers.operations import CHANGES, UPKEEP, Operation, run

_numbers = count(10_000, 1_000)


@dataclass(frozen=True, slots=True)
class Driver:
    """Works in this process, on table t0 of `main`, and notes what a driver would note."""

    session: Session
    lakes: dict[str, CatalogHandle]
    checker: Checker
    data: Path

    def operation(self, kind: str) -> Operation:
        return Operation(kind, next(_numbers), 2)

    def do(self, operation: Operation) -> None:
        run(operation, self.session, self.lakes["main"], "t0", [])

    def check(self, *noted: object) -> list[str]:
        """What is found wrong by somebody who is told this."""
        log = self.data.parent / f"log-{next(_numbers)}"
        log.write_text("".join(json.dumps(line) + "\n" for line in noted))
        return explain_failures(self.checker, log).found


def began(operation: Operation) -> dict[str, object]:
    return {"table": "t0", "began": operation.to_json(), "made": []}


def committed(operation: Operation) -> dict[str, object]:
    return {"table": "t0", "committed": operation.number}


@pytest.fixture(scope="module")
def driver(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    folder = tmp_path_factory.mktemp("drivers")
    place = Place(f"sqlite:{folder / 'lake.db'}", str(folder / "data"))
    with forklake.connect(spark=spark) as session:
        lakes = create_lake(session, place)
        yield Driver(session, lakes, Checker(place, lakes), folder / "data")


def test_everything_that_drivers_do_is_as_expected(driver: Driver) -> None:
    operations = [driver.operation(kind) for kind in (*CHANGES, *UPKEEP)]
    for operation in operations:
        driver.do(operation)
    assert driver.check(*(line for each in operations for line in (began(each), committed(each)))) == []


def test_an_operation_under_way_may_have_happened_or_not(driver: Driver) -> None:
    happened, never = driver.operation("append"), driver.operation("several")
    driver.do(happened)
    assert driver.check(began(happened)) == []
    assert driver.check(began(never)) == []


def test_what_a_killed_driver_leaves_on_disk_goes(driver: Driver) -> None:
    orphan = driver.data / "main" / "main" / "t0" / "half" / "_temporary" / "part-0.parquet"
    orphan.parent.mkdir(parents=True)
    orphan.write_bytes(b"not finished")
    assert driver.check() == []
    assert not orphan.exists()


def test_a_transaction_that_was_acknowledged_and_lost_is_noticed(driver: Driver) -> None:
    lost = driver.operation("append")
    found = driver.check(began(lost), committed(lost))
    assert any("no order of events explains" in wrong for wrong in found)


def test_half_a_transaction_is_noticed(driver: Driver) -> None:
    half = driver.operation("few")
    driver.lakes["main"].table("t0").append([(half.number, 0)])
    found = driver.check(began(half))
    assert any("no order of events explains" in wrong for wrong in found)


def test_a_transaction_that_happened_twice_is_noticed(driver: Driver) -> None:
    twice = driver.operation("update")
    driver.do(twice)
    driver.do(twice)
    found = driver.check(began(twice), committed(twice))
    assert any("twice" in wrong for wrong in found)
    driver.lakes["main"].table("seen").delete(f"number = {twice.number}")
    driver.lakes["main"].table("seen").append([(twice.number,)])


def test_orphans_that_stay_are_noticed(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    (driver.data / "main" / "main" / "t0" / "orphan.parquet").write_bytes(b"nobody knows me")
    with monkeypatch.context() as patched:
        patched.setattr(CatalogHandle, "delete_orphaned_files", lambda self, **named: [])
        assert any("other files than the orphans" in wrong for wrong in driver.check())
    assert driver.check() == []


def test_a_commit_that_was_acknowledged_before_its_files_were_whole_is_noticed(driver: Driver) -> None:
    early = driver.operation("append")
    before = set(driver.data.rglob("*.parquet"))
    driver.do(early)
    [file] = set(driver.data.rglob("*.parquet")) - before
    file.write_bytes(file.read_bytes()[:100])
    found = driver.check(began(early), committed(early))
    assert any("DamagedFile" in wrong for wrong in found)
