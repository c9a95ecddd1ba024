"""Values of parameters: those of NumPy and pandas as Python's, and those of time as literals."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest

from forklake.errors import InvalidInput
from forklake.sql.parsing.parameter_values import plain_value, written_literal


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (np.datetime64("2020-01-01"), date(2020, 1, 1)),
        (np.datetime64("2020-01-01T01:02:03", "ns"), datetime(2020, 1, 1, 1, 2, 3)),
        (np.datetime64("NaT"), None),
        (np.timedelta64(5000, "ns"), timedelta(microseconds=5)),
        (np.array(["2020-01-01T00:00:00"], "datetime64[ns]"), [datetime(2020, 1, 1)]),
        (np.array([[1], [2]]), [[1], [2]]),
        (np.array(5), 5),
        (np.float64(0.5), 0.5),
        (pd.Timestamp("2020-01-01T01:02:03Z"), datetime(2020, 1, 1, 1, 2, 3, tzinfo=UTC)),
        (pd.Timedelta(days=1), timedelta(days=1)),
        (pd.NaT, None),
        (pd.NA, None),
        ((1, (2,)), [1, [2]]),
    ],
)
def test_values_of_numpy_and_pandas_are_those_of_python(given: Any, plain: Any) -> None:
    found = plain_value(given, "x")
    assert found == plain
    assert type(found) is type(plain)


@pytest.mark.parametrize(
    "given",
    [
        np.datetime64("2020-01-01T01:02:03.000000001"),
        np.datetime64("10000-01-01"),
        np.timedelta64(1, "ns"),
        np.timedelta64(1, "Y"),
        np.uint64(2**64 - 1),
        np.complex64(1),
        pd.Timestamp("2020-01-01T01:02:03.000000001"),
        pd.Timedelta(1),
        pd.Series([1]),
        timedelta.max,
        time(1, tzinfo=UTC),
        [time(1, tzinfo=UTC)],
        {"a": 1},
    ],
)
def test_a_value_that_would_be_changed_is_refused_by_name(given: Any) -> None:
    with pytest.raises(InvalidInput, match="The parameter x"):
        plain_value(given, "x")


@pytest.mark.parametrize(
    ("value", "spark", "duckdb"),
    [
        (date(2020, 1, 2), "DATE '2020-01-02'", "DATE '2020-01-02'"),
        (time(1, 2, 3), "'01:02:03'", "TIME '01:02:03'"),
        (time(1, 2, 3, 450_000), "'01:02:03.45'", "TIME '01:02:03.45'"),
        ([time(10), None], "array('10:00:00', NULL)", "[TIME '10:00:00', NULL]"),
        ([[date(1500, 1, 1)], []], "array(array(DATE '1500-01-01'), array())", "[[DATE '1500-01-01'], []]"),
        ([1, None], None, None),
        ("10:00:00", None, None),
    ],
)
def test_dates_and_times_are_written_into_the_text(value: Any, spark: str | None, duckdb: str | None) -> None:
    assert written_literal(value, "spark") == spark
    assert written_literal(value, "duckdb") == duckdb


def test_a_list_of_times_and_others_is_refused() -> None:
    with pytest.raises(InvalidInput, match="nothing else in it but NULL"):
        written_literal([date(2020, 1, 1), 1], "spark")
