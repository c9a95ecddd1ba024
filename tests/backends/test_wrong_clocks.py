"""An age is counted by the clock that is behind, this machine's or the database's."""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import pytest

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.retention import expiry
from forklake.catalog.retention.expiry import LocalClockTime, cutoff_time, expire_snapshots
from forklake.sql.parsing.constants import parse_constant
from tests.lakes import make_table


def set_clock(monkeypatch: pytest.MonkeyPatch, wrong: timedelta) -> None:
    class Now(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return datetime.now(tz) + wrong

    monkeypatch.setattr(expiry, "datetime", Now)


def test_a_machine_that_is_years_ahead_expires_nothing_young(main: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    make_table(main)
    make_table(main, "u")
    set_clock(monkeypatch, timedelta(days=3650))
    assert expire_snapshots(main, older_than=timedelta(days=7)) == []


def test_now_in_sql_is_a_time_of_this_clock(main: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    make_table(main)
    make_table(main, "u")
    week_ago = parse_constant("now() - INTERVAL 7 DAYS", "spark")
    assert isinstance(week_ago, LocalClockTime)
    set_clock(monkeypatch, timedelta(days=3650))
    assert expire_snapshots(main, older_than=week_ago + timedelta(days=3650)) == []


def test_a_machine_that_is_behind_counts_by_its_own_clock(main: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, timedelta(days=-3650))
    found = cutoff_time(main, timedelta(days=1))
    assert found is not None
    assert found < datetime.now(UTC) - timedelta(days=3650)


def test_an_age_longer_than_there_were_years_is_before_everything(main: Catalog) -> None:
    assert cutoff_time(main, timedelta(days=900_000)) == datetime.min.replace(tzinfo=UTC)
