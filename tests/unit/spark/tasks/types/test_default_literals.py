import math
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from forklake.errors import InvalidInput
from forklake.spark.tasks.types.arrow_types import default_array, literal, shown_type
from tests.unit.spark.tasks.samples import SAMPLES, UUID_TEXT, column


@pytest.mark.parametrize(
    ("type_text", "text", "value"),
    [
        ("boolean", "true", True),
        ("boolean", "0", False),
        ("tinyint", "-5", -5),
        ("integer", "true", 1),
        ("utinyint", "255", 255),
        ("ubigint", "18446744073709551615", Decimal(2**64 - 1)),
        ("hugeint", str(-(10**30)), Decimal(-(10**30))),
        ("float", "0.5", 0.5),
        ("double", "-inf", -math.inf),
        ("decimal(5,2)", "1.5", Decimal("1.50")),
        ("date", "2020-02-03", date(2020, 2, 3)),
        ("time", "1:02:03.100", "01:02:03.1"),
        ("timestamp", "2020-01-01 01:02:03.5", datetime(2020, 1, 1, 1, 2, 3, 500000)),
        ("timestamp_s", "2020-01-01", datetime(2020, 1, 1)),
        ("timestamptz", "2020-01-01 01:00:00+01", datetime(2020, 1, 1, tzinfo=UTC)),
        ("timestamp_ns", "1970-01-01 00:00:00.000000001", 1),
        ("varchar", "NULL", "NULL"),
        ("json", "{}", "{}"),
        ("interval", "1 day", "1 day"),
        ("blob", r"a\x00\xFF", b"a\x00\xff"),
        ("uuid", UUID_TEXT.upper(), UUID_TEXT),
    ],
)
def test_a_literal_default_is_a_value(type_text: str, text: str, value: object) -> None:
    found = literal(text, column("c", type_text))
    assert (found.as_py(), found.type) == (value, shown_type(column("c", type_text).type))


@pytest.mark.parametrize("type_text", [*SAMPLES, "integer[]", "struct(a integer)", "variant"])
def test_no_default_is_null(type_text: str) -> None:
    assert default_array(column("c", type_text), 2).to_pylist() == [None, None]


@pytest.mark.parametrize(
    ("type_text", "text"),
    [
        ("integer", "1.5"),
        ("integer", "one"),
        ("tinyint", "128"),
        ("boolean", "maybe"),
        ("date", "yesterday"),
        ("date", "infinity"),
        ("uuid", "1"),
        ("decimal(3,1)", "1.25"),
        ("decimal(3,1)", "1000"),
        ("integer[]", "[1]"),
    ],
)
def test_a_literal_that_is_no_value_of_its_column_is_refused(type_text: str, text: str) -> None:
    with pytest.raises(InvalidInput, match="is not a value of type"):
        literal(text, column("c", type_text))
