"""Faults of what is around a lake, on a small scale and without Spark; and bugs that the checks must notice."""

import time
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from forklake.api import table as api_table
from forklake.catalog.retention import expiry
from forklake.errors import StoreError
from forklake.spark.tasks.files import open_file
from forklake.store import dialect, sqlite
from tests.backends.cutting_proxy import CuttingProxy
from tests.conftest import Place
from tests.postgres_server import TestPostgres
from trust.surroundings import clocks, locks, permissions, servers
from trust.surroundings.clock import settable_clock
from trust.surroundings.disks import full_data_by_limit, full_sqlite_by_limit
from trust.surroundings.house import House, open_house
from trust.surroundings.setting import Setting
from trust.surroundings.tally import Tally
from trust.trial import Line, Trial


@pytest.fixture
def setting(tmp_path: Path, postgres: TestPostgres) -> Setting:
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755)
    return Setting(Trial(1, tmp_path, say=lambda text: None), postgres)


@pytest.fixture
def house(place: Place, tmp_path: Path, setting: Setting) -> Iterator[House]:
    """A lake on each backend in turn."""
    rng = setting.rng("house")
    with open_house(place.url, tmp_path / "data", rng, metadata_schema=place.metadata_schema) as opened:
        yield opened


@pytest.fixture
def tally() -> Tally:
    return Tally("a fault", 1, "")


def passes(line: Line) -> bool:
    assert line.found == ()
    return line.passed


def test_a_full_disk_is_told_and_leaves_nothing_half_written(setting: Setting) -> None:
    assert passes(full_data_by_limit(setting))
    assert passes(full_sqlite_by_limit(setting))


def test_missing_permissions_are_told(setting: Setting) -> None:
    assert all(passes(line) for line in permissions.denied(setting))


def test_jumps_of_the_clock_change_nothing_that_counts(tally: Tally, house: House, setting: Setting) -> None:
    with settable_clock(house.lake) as clock:
        clocks.work_under_jumps(tally, house, clock, setting.rng("clock"), 4)
    assert tally.found == []
    assert house.wrongs() == []


def test_locks_and_lost_files_of_sqlite_are_told(setting: Setting) -> None:
    assert all(passes(line) for line in locks.locked_and_lost(setting))


def test_a_server_that_cannot_be_reached_is_told(setting: Setting, tally: Tally, tmp_path: Path) -> None:
    servers.unreachable_at_the_start(tally, tmp_path)
    with CuttingProxy(setting.database) as proxy:
        url = f"postgres:{proxy.conninfo}"
        with setting.house_at(url, "cut_off", retries=1) as house:
            servers.away_in_the_middle(tally, house, proxy)
    assert tally.found == []


def test_a_jump_of_the_clock_neither_ends_a_wait_nor_makes_it_longer(setting: Setting, tally: Tally) -> None:
    with setting.house("sqlite", retries=0) as house:
        clocks.waiting_through_a_jump(tally, house)
    assert tally.found == []


# Bugs of each kind, planted: the checks notice them.


def test_an_error_that_is_not_ours_is_noticed(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_file, "translate_file_errors", nullcontext)
    assert "OSError instead of" in full_data_by_limit(setting).found[0]


def test_an_error_that_does_not_say_what_is_wrong_is_noticed(tally: Tally) -> None:
    def act() -> None:
        raise StoreError("Something went wrong.")

    tally.refused("a commit", StoreError, ("lake.db",), act)
    assert "does not say ['lake.db']" in tally.found[0]


def test_rows_that_were_acknowledged_and_never_written_are_noticed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_table, "append", lambda work, table, data, by: len(data))
    house.append()
    assert any("are lost" in wrong for wrong in house.wrongs())


def test_rows_that_were_written_twice_are_noticed(house: House) -> None:
    rows = house.new_rows()
    house.append(rows)
    house.table.append(rows)
    assert "rows are there twice" in house.wrongs()


def test_commits_to_a_file_that_is_gone_are_noticed(
    setting: Setting, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite.SqliteStore, "_check_in_place", lambda self: None)
    with setting.house("sqlite") as house:
        locks.try_gone(tally, house, "moved away")
    assert any("nobody was told" in wrong for wrong in tally.found)


def test_times_that_go_back_are_noticed(setting: Setting, tally: Tally, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect.StoreDialect, "later", lambda self, clock, before: self.from_database_time(clock))
    with setting.house("sqlite") as house, settable_clock(house.lake) as clock:
        clocks.work_under_jumps(tally, house, clock, setting.rng("clock"), 6)
    assert any("do not rise" in wrong for wrong in tally.found)


def test_an_age_by_one_clock_alone_is_noticed(setting: Setting, tally: Tally, monkeypatch: pytest.MonkeyPatch) -> None:
    def by_this_machine(catalog: object, age: timedelta | None) -> datetime | None:
        return None if age is None else datetime.now(UTC) + clock.machine - age

    monkeypatch.setattr(expiry, "cutoff_time", by_this_machine)
    with setting.house("postgres") as house, settable_clock(house.lake) as clock:
        clocks.work_under_jumps(tally, house, clock, setting.rng("clock"), 1)
    assert any("young snapshots expired" in wrong for wrong in tally.found)


def test_a_wait_by_the_clock_on_the_wall_is_noticed(
    setting: Setting, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "monotonic", lambda: time.time())
    with setting.house("sqlite", retries=0) as house:
        clocks.waiting_through_a_jump(tally, house)
    assert any("a commit while the clock jumps" in wrong for wrong in tally.found)


def test_a_server_that_is_away_and_not_missed_is_noticed(
    setting: Setting, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "_away", lambda proxy, store: nullcontext())
    with (
        CuttingProxy(setting.database) as proxy,
        setting.house_at(f"postgres:{proxy.conninfo}", "cut_off", retries=1) as house,
    ):
        servers.away_in_the_middle(tally, house, proxy)
    assert any("nobody was told" in wrong for wrong in tally.found)
