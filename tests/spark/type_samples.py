"""Values of every column type, in the form in which rows show them."""

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

WKB = bytes.fromhex("0101000000000000000000F03F0000000000000040")
LONG = "lang " * 2000
UUIDS = ("00000000-0000-0000-0000-000000000000", "01234567-89ab-4def-8123-456789abcdef")

SAMPLES: dict[str, tuple[Any, ...]] = {
    "boolean": (False, True, True),
    "int8": (-128, 127, 0),
    "int16": (-(2**15), 2**15 - 1, 0),
    "int32": (-(2**31), 2**31 - 1, 0),
    "int64": (-(2**63), 2**63 - 1, 0),
    "uint8": (0, 255, 128),
    "uint16": (0, 2**16 - 1, 2**15),
    "uint32": (0, 2**32 - 1, 2**31),
    "uint64": (Decimal(0), Decimal(2**64 - 1), Decimal(2**63)),
    "int128": (Decimal(-(10**38) + 1), Decimal(10**38 - 1), Decimal(2**64)),
    "uint128": (Decimal(0), Decimal(10**38 - 1), Decimal(2**64)),
    "float32": (-math.inf, math.nan, -1.5),
    "float64": (5e-324, math.inf, math.nan),
    "decimal(9,2)": (Decimal("-9999999.99"), Decimal("9999999.99"), Decimal("0.01")),
    "decimal(18,3)": (Decimal("-0.001"), Decimal("999999999999999.999"), Decimal("1.000")),
    "decimal(38,10)": (Decimal("-1E-10"), Decimal("9" * 28 + "." + "9" * 10), Decimal("0E-10")),
    "date": (date(1, 1, 1), date(9999, 12, 31), date(1970, 1, 1)),
    "time": ("00:00:00", "23:59:59.999999", "12:34:56.5"),
    "timestamp": (datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), datetime(1969, 12, 31, 23, 59, 59, 1)),
    "timestamp_s": (datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59), datetime(1969, 12, 31, 23, 59, 59)),
    "timestamp_ms": (
        datetime(1, 1, 1),
        datetime(9999, 12, 31, 23, 59, 59, 999000),
        datetime(1969, 12, 31, 23, 59, 59, 1000),
    ),
    "timestamp_ns": (-9_223_286_400_000_000_000, 2**63 - 2, 1_577_836_800_123_456_789),
    "timestamptz": (
        datetime(1, 1, 2, tzinfo=UTC),
        datetime(9999, 12, 30, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2020, 3, 29, 1, 30, tzinfo=UTC),
    ),
    "interval": ("1 day", "2 months 3 days 04:05:06.789", "-1 year"),
    "varchar": ("", "zoë 🦆 \0 \n'\"", LONG),
    "blob": (b"", bytes(range(256)), b"\xff" * 300),
    "uuid": (*UUIDS, "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    "json": ("null", '{"a": [1, "ü"]}', '"text"'),
}
"""Three values each: the smallest, the largest, and an odd one; float columns have infinities and NaN."""

FLAT = {f"c{at}": name for at, name in enumerate(SAMPLES)}
FLAT_ROWS = [*zip(*SAMPLES.values(), strict=True), (None,) * len(SAMPLES)]

NESTED = {
    "numbers": "utinyint[]",
    "lists": "uuid[][]",
    "map": "map(varchar, timestamp_ns)",
    "keys": "map(uuid, time[])",
    "struct": "struct(a ubigint, b struct(c time, d json), e timestamptz)",
    "deep": "struct(x map(int, struct(y interval, z timestamp_ms)), l decimal(5,1)[])[]",
}
_MOMENT = datetime(2020, 1, 1, 12, 30, 0, 5000)
NESTED_ROWS: list[tuple[Any, ...]] = [
    (
        [0, 255, None],
        [[UUIDS[1], None], [], None],
        [("a", 1), ("b", None)],
        [(UUIDS[0], ["01:02:03", None]), (UUIDS[1], None)],
        {"a": Decimal(2**64 - 1), "b": {"c": "01:02:03.000004", "d": "[1]"}, "e": datetime(2020, 1, 1, tzinfo=UTC)},
        [{"x": [(1, {"y": "1 day", "z": _MOMENT}), (2, None)], "l": [Decimal("9999.9"), None]}, None],
    ),
    ([], [], [], [], {"a": None, "b": None, "e": None}, [{"x": [], "l": []}, {"x": None, "l": None}]),
    (None, None, None, None, None, None),
    ([None], [[]], [("", -1)], [], {"a": Decimal(0), "b": {"c": None, "d": None}, "e": None}, []),
]


def comparable(value: Any) -> Any:
    """A value that equals itself, NaN included, and tells the two zeros apart."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return {name: comparable(child) for name, child in value.items()}
    if isinstance(value, list | tuple):
        return [comparable(child) for child in value]
    return value


def values(rows: pa.Table) -> list[Any]:
    """The rows of an Arrow table, in a form that can be compared."""
    return [comparable(list(row.values())) for row in rows.to_pylist()]


def expected(rows: Sequence[Sequence[Any]]) -> list[Any]:
    """Rows as they were written, in the same form."""
    return [comparable(list(row)) for row in rows]
