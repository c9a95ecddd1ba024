"""Ages and lists as they are written on the command line."""

from datetime import UTC, datetime, timedelta

import pytest
import typer

from forklake.cli.options import parse_numbers, parse_point_in_time


@pytest.mark.parametrize("text", ["7 days", "1 week", "6 days 24 hours"])
def test_an_age_is_so_long_ago(text: str) -> None:
    assert abs(datetime.now(UTC) - timedelta(days=7) - parse_point_in_time(text)) < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31 12:30:00", datetime(2026, 1, 31, 12, 30, tzinfo=UTC)),
        ("2026-01-31T12:30:00+02:00", datetime(2026, 1, 31, 10, 30, tzinfo=UTC)),
    ],
)
def test_a_time_without_a_zone_is_in_utc(text: str, expected: datetime) -> None:
    assert parse_point_in_time(text) == expected


def test_an_age_beyond_all_times_is_the_beginning_of_time() -> None:
    assert parse_point_in_time("900000 days") == datetime.min.replace(tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "soon", "7", "1 month", "2026-13-01"])
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="neither"):
        parse_point_in_time(text)


def test_numbers_come_one_by_one_or_between_commas() -> None:
    assert parse_numbers(["3,4", "5"]) == [3, 4, 5]
    assert parse_numbers([]) is None
    assert parse_numbers(None) is None
    with pytest.raises(typer.BadParameter):
        parse_numbers(["3;4"])
