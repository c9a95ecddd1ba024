"""Settings of DuckDB in its dialect: honoured, without effect, or refused."""

import pytest

from forklake.errors import InvalidOption
from forklake.sql.duckdb.settings import ONLY, WITHOUT_EFFECT, check_setting, is_duckdbs


def test_the_time_zone_is_sparks() -> None:
    assert check_setting("TimeZone", "Europe/Berlin") == "spark.sql.session.timeZone"
    assert check_setting("timezone", None) == "spark.sql.session.timeZone"


@pytest.mark.parametrize("name", sorted(WITHOUT_EFFECT))
def test_settings_of_the_machine_have_no_effect(name: str) -> None:
    assert check_setting(name.upper(), "4") is None


@pytest.mark.parametrize("name", sorted(ONLY))
def test_settings_that_change_answers_are_refused_unless_they_change_nothing(name: str) -> None:
    for value in ONLY[name]:
        assert check_setting(name, value.upper()) is None
    assert check_setting(name, None) is None
    with pytest.raises(InvalidOption, match="other results"):
        check_setting(name, "something else")


def test_a_setting_that_is_not_known_is_refused() -> None:
    with pytest.raises(InvalidOption, match="Did you mean"):
        check_setting("thread", "4")


def test_settings_of_spark_have_a_point() -> None:
    assert not is_duckdbs("spark.sql.shuffle.partitions")
