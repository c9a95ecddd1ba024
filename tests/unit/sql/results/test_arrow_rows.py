"""Rows of Arrow as values of Python."""

from datetime import datetime

import pyarrow as pa
import pytest

from forklake.errors import InvalidInput
from forklake.sql.results.arrow_rows import python_columns, shown_columns

NOT_UTF8 = pa.Array.from_buffers(
    pa.string(), 2, [pa.py_buffer(b"\x01"), pa.py_buffer(b"\0\0\0\0\2\0\0\0\2\0\0\0"), pa.py_buffer(b"\x00\xff")]
)


def test_bytes_that_are_no_utf8_come_as_spark_shows_them() -> None:
    rows = pa.table({"s": NOT_UTF8})
    assert python_columns(rows) == shown_columns(rows) == [["\0\ufffd", None]]


def test_text_in_a_struct_that_is_no_utf8_is_refused_as_such() -> None:
    with pytest.raises(InvalidInput, match="not valid UTF-8"):
        python_columns(pa.table({"s": pa.StructArray.from_arrays([NOT_UTF8], ["a"])}))


def test_times_are_those_of_arrow() -> None:
    moments = [datetime(1, 1, 1), None, datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(9999, 12, 31, 23, 59, 59)]
    for zone in (None, "UTC"):
        column = pa.chunked_array([pa.array(moments, pa.timestamp("us")).cast(pa.timestamp("us", zone))])
        assert python_columns(pa.table([column], names=["at"])) == [column.to_pylist()]


def test_times_that_python_does_not_know_are_refused_as_such() -> None:
    column = pa.array([2**62]).cast(pa.timestamp("us"))
    with pytest.raises(InvalidInput, match="outside of the years 1 to 9999"):
        python_columns(pa.table([column], names=["at"]))
