"""Column types of generated tables, with the values that rows hold and conditions compare with."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

_LONG = "a common prefix that is long "
NUMBERS = (0, 1, -1, 2, 3, 5, 7, 10, 42, 99, 100, 127, -128)
TEXTS = (
    "", " ", "a", "A", "ab", "abc", "abd", "b", "B", "ba", "a b", " a", "a ", "%", "_", "a%", "a_c", "100%", "\\",
    "a\\b",
    "it's", 'say "x"', "zoë", "Zoë", "ß", "ẞ", "İ", "🦆", "\ud7ff", "\uffff", "\U0001f986a", "null", "true", "1", "01",
    "2024-01-01", _LONG + "a", _LONG + "b", _LONG + "\U0001f986", "abcdefghij", "abcdefgh", "tab\there", "line\nbreak",
)  # fmt: skip
DATES = tuple(
    date.fromisoformat(text)
    for text in (
        "2024-01-01", "2024-02-29", "2024-12-31", "2023-12-31", "2020-03-29", "1970-01-01", "1969-12-31", "1900-01-01",
        "1582-10-04", "1582-10-15", "1500-02-28", "0001-01-01", "9999-12-31", "2024-06-15",
    )
)  # fmt: skip
MOMENTS = tuple(
    datetime.fromisoformat(text)
    for text in (
        "2024-01-01 00:00:00", "2024-01-01 23:59:59.999999", "2024-02-29 12:30:00", "2023-12-31 23:00:00",
        "2020-03-29 01:30:00", "2020-10-25 02:30:00", "1970-01-01 00:00:00", "1969-12-31 23:59:59.000001",
        "1582-10-10 00:00:00", "1500-02-28 05:06:07", "0001-01-02 00:00:00", "9999-12-30 23:59:59.999999",
        "2024-06-15 10:00:00.5", "2024-01-01 03:00:00", "2024-01-01 05:30:00", "2024-01-01 08:00:00",
        "2023-12-31 16:00:00", "2023-12-31 18:30:00", "2024-01-01 12:00:00",
    )
)  # fmt: skip
DOUBLES = (0.0, -0.0, 1.0, -1.0, 1.5, 2.5, 0.1, 1e10, -1e10, 5e-324, 1.7e308, math.inf, -math.inf, math.nan)
FLOATS = (0.0, -0.0, 1.0, -1.0, 1.5, 0.10000000149011612, 16777216.0, math.inf, -math.inf, math.nan)


@dataclass(frozen=True, slots=True)
class Kind:
    """A column type: how it is written, which expressions it belongs to, and values of it."""

    sql: str
    family: str
    values: Sequence[Any]
    promotes: str = ""
    """The kind that a column of this one may be promoted to."""


def _decimals(*texts: str) -> tuple[Decimal, ...]:
    return tuple(Decimal(text) for text in texts)


KINDS: Mapping[str, Kind] = {
    "bool": Kind("BOOLEAN", "bool", (True, False)),
    "tiny": Kind("TINYINT", "int", NUMBERS, "int"),
    "small": Kind("SMALLINT", "int", (*NUMBERS, 32767, -32768, 300), "int"),
    "int": Kind("INT", "int", (*NUMBERS, 2**31 - 1, -(2**31), 1000), "big"),
    "big": Kind("BIGINT", "int", (*NUMBERS, 2**63 - 1, -(2**63), 2**53 + 1, 2**31)),
    "utiny": Kind("UTINYINT", "int", (0, 1, 2, 5, 127, 128, 255)),
    "ubig": Kind("UBIGINT", "dec", _decimals("0", "1", "5", "100", str(2**64 - 1), str(2**63))),
    "dec2": Kind(
        "DECIMAL(9,2)", "dec", _decimals("0.00", "1.00", "1.50", "-1.25", "1.23", "99.99", "9999999.99"), "dec4"
    ),
    "dec4": Kind("DECIMAL(18,2)", "dec", _decimals("0.00", "1.00", "1.50", "-1.25", "1.24", "100.00", "42.00")),
    "dec0": Kind("DECIMAL(20,0)", "dec", _decimals("0", "1", "-1", "5", "42", "99999999999999999999")),
    "wide": Kind(
        "DECIMAL(38,10)", "dec", _decimals("0E-10", "1.0000000000", "1.5000000001", "-1E-10", "42.0000000000")
    ),
    "flt": Kind("FLOAT", "dbl", FLOATS, "dbl"),
    "dbl": Kind("DOUBLE", "dbl", DOUBLES),
    "text": Kind("STRING", "text", TEXTS),
    "date": Kind("DATE", "date", DATES),
    "ntz": Kind("TIMESTAMP_NTZ", "ntz", MOMENTS),
    "ts": Kind("TIMESTAMP_LTZ", "ts", tuple(moment.replace(tzinfo=UTC) for moment in MOMENTS)),
    "bin": Kind("BINARY", "bin", (b"", b"a", b"ab", b"\x00", b"\xff", b"abc", b"a longer value", b"\xc3\xab")),
    "uuid": Kind(
        "UUID",
        "text",
        ("01234567-89ab-4def-8123-456789abcdef", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    ),
    "time": Kind("TIME", "text", ("00:00:00", "23:59:59.999999", "12:34:56.5", "12:34:56")),
    "struct": Kind(
        "STRUCT<a: INT, b: STRING, d: DATE, e: DOUBLE>",
        "struct",
        (
            {"a": 1, "b": "a", "d": date(2024, 1, 1), "e": 1.5},
            {"a": 5, "b": "abc", "d": None, "e": math.nan},
            {"a": None, "b": None, "d": None, "e": None},
            {"a": -1, "b": "", "d": date(1969, 12, 31), "e": -0.0},
        ),
    ),
    "list": Kind("ARRAY<INT>", "list", ([], [1], [1, 2, 3], [None, 5], [-1])),
    "map": Kind("MAP<STRING, INT>", "map", ([], [("a", 1)], [("a", None), ("b", 2)], [("", 0)])),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a generated table."""

    name: str
    kind: str

    @property
    def family(self) -> str:
        return KINDS[self.kind].family


def pool(kind: str, rng: random.Random) -> Callable[[], Any]:
    """What one file draws its values from: one value, a few near each other, all of them, or nothing but NULL."""
    values = KINDS[kind].values
    chance = rng.random()
    if chance < 0.12:
        return lambda: None
    if chance < 0.3:
        only = rng.choice(values)
        return lambda: only
    ordered = sorted(values, key=_order)
    start = rng.randrange(len(ordered))
    near = ordered[start : start + rng.randint(2, 5)] if chance < 0.75 else list(values)
    nulls = rng.choice((0.0, 0.0, 0.3))
    return lambda: None if rng.random() < nulls else rng.choice(near)


def _order(value: Any) -> tuple[int, Any]:
    if isinstance(value, dict | list):
        return (0, repr(value))
    return (1, 0.0) if isinstance(value, float) and math.isnan(value) else (0, value)
