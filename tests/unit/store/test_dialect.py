"""The points where the databases differ, and the statements that both take."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from forklake.errors import InvalidInput
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import Level
from forklake.store.dialect import POSTGRESQL, SQLITE, StoreDialect, read_drawn_ids


def test_ids_come_one_in_a_row_or_as_the_first_of_a_run() -> None:
    assert read_drawn_ids([(7,), (9,), (12,)], 3) == [7, 9, 12]
    assert read_drawn_ids([(7,)], 3) == [7, 8, 9]
    assert read_drawn_ids([(7,)], 1) == [7]


@pytest.mark.parametrize("offset", [0, 5.5, -11])
def test_a_time_on_sqlite_survives_in_utc_to_the_microsecond(offset: float) -> None:
    time = datetime(2024, 2, 29, 23, 59, 59, 1, tzinfo=timezone(timedelta(hours=offset)))
    stored = SQLITE.to_database_time(time)
    assert isinstance(stored, str)
    assert SQLITE.from_database_time(stored) == time
    assert SQLITE.from_database_time(stored).tzinfo == UTC


def test_times_on_sqlite_sort_as_text_as_they_do_as_times() -> None:
    start = datetime(1999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    times = [datetime(year, 1, 1, tzinfo=UTC) for year in (1, 20, 999, 1000)]
    times += [start + timedelta(microseconds=i) for i in (0, 1, 2, 10, 1_000_000, 10**12)]
    stored = [str(SQLITE.to_database_time(time)) for time in times]
    assert stored == sorted(stored)
    assert [SQLITE.from_database_time(text) for text in stored] == times


@pytest.mark.parametrize("dialect", [SQLITE, POSTGRESQL])
def test_a_time_that_is_none_in_utc_is_refused(dialect: StoreDialect) -> None:
    with pytest.raises(InvalidInput, match="out of range in UTC"):
        dialect.to_database_time(datetime.max.replace(tzinfo=timezone(timedelta(hours=-5))))


def test_a_time_on_postgresql_is_read_in_utc() -> None:
    time = datetime(2024, 2, 29, 12, tzinfo=timezone(timedelta(hours=2)))
    assert POSTGRESQL.from_database_time(time).tzinfo == UTC
    assert POSTGRESQL.from_database_time(time) == time


def test_levels_travel_as_parameters_never_as_text() -> None:
    levels = [Level(CatalogId(3), SnapshotId(9)), Level(CatalogId(1), SnapshotId(4))]
    assert POSTGRESQL.level_params(levels) == {"level_ids": [3, 1], "level_tops": [9, 4]}
    assert SQLITE.level_params(levels) == {"levels": [(3, 9), (1, 4)]}
