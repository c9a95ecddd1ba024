"""Defaults that Python gives, in sessions of several zones."""

from datetime import UTC, datetime
from typing import Any

import pytest

from forklake.errors import InvalidInput
from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.ids import ColumnId
from forklake.spark.tasks.types.default_literals import literal
from forklake.spark.values.default_text import default_text

NEW_YORK = "America/New_York"


def stored(value: Any, zone: str, type_name: str = "timestamptz") -> Any:
    """What rows get whose default this is."""
    column_type = parse_type(type_name)
    text = default_text(value, "c", column_type, zone)
    return literal(text, Column(ColumnId(1), "c", column_type)).as_py()


@pytest.mark.parametrize("value", ["2024-01-01 00:00:00", "2024-01-01", "2024-01-01T00:00:00.0", datetime(2024, 1, 1)])
def test_a_moment_without_a_zone_is_one_in_the_zone_of_the_session(value: Any) -> None:
    assert stored(value, "UTC") == datetime(2024, 1, 1, tzinfo=UTC)
    assert stored(value, NEW_YORK) == datetime(2024, 1, 1, 5, tzinfo=UTC)
    assert stored(value, "+02:00") == datetime(2023, 12, 31, 22, tzinfo=UTC)


@pytest.mark.parametrize("value", ["2024-01-01 00:00:00+00", "2024-01-01 00:00:00Z", "2023-12-31 22:00:00-02:00"])
def test_a_moment_with_a_zone_is_taken_as_it_is(value: str) -> None:
    assert default_text(value, "c", parse_type("timestamptz"), NEW_YORK) == value
    assert stored(value, NEW_YORK) == datetime(2024, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("type_name", ["timestamp", "date", "varchar"])
def test_other_types_know_no_zone(type_name: str) -> None:
    assert default_text("2024-01-01", "c", parse_type(type_name), NEW_YORK) == "2024-01-01"


def test_a_moment_that_no_zone_reaches_is_refused() -> None:
    with pytest.raises(InvalidInput, match="append \\+00"):
        default_text("20240-01-01 00:00:00", "c", parse_type("timestamptz"), NEW_YORK)
