"""Literals from a seed: what may be written for a column of any type, right or nearly."""

import random
from collections.abc import Iterator

TYPES = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    "FLOAT", "DOUBLE", "DECIMAL(5,2)", "DECIMAL(18,0)", "DECIMAL(38,10)", "BOOLEAN", "VARCHAR", "DATE",
    "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "TIME", "UUID", "JSON",
    "INTERVAL",
)  # fmt: skip
_EDGES = [2**power + more for power in (0, 7, 8, 15, 16, 31, 32, 53, 63, 64, 126) for more in (-1, 0, 1)]
_TEXTS = [
    "", "a", "it''s", "null", "true", "false", "t", "0", "1", "1.5", " 1 ", "ä€", "a\nb", "%s {x}", "1 day",
    "1 DAYS 2:03:04",
    "00:00", "23:59:59.999999", "24:00:00", "12:00:00.1234567", "1:02:03", "12:00:00\n",
    "0123abcd-0123-0123-0123-0123456789AB", "0123abcd01230123012301234567890a", "{}", "[1, 2.5, null]",
    '{"a": 1, "a": 2}',
    '{"a": NaN}', "{", "1e5", '"x"', '"\U0001f600"',
]  # fmt: skip
_CLOCKS = ["", " 00:00:00", "T12:34:56", " 23:59:60", " 25:61:61", " 24:00:00", " 12:34", " 1:02:03", " 12:34:56.5",
           " 12:34:56.123456", " 12:34:56.1234567", " 12:34:56.123456789", " 02:30:00", " 01:30:00"]  # fmt: skip
_ZONES = ["", "", "", "Z", "+05:00", "-13:30", "+14:00", " Europe/Paris", "+5", "+00:00"]
_YEARS = ["0000", "0001", "1582", "1883", "1969", "1970", "2020", "2024", "9999", "10000", "-0044", "24", "294248"]
_DAYS = ["01-01", "02-29", "02-30", "03-08", "03-31", "10-15", "11-01", "12-31", "13-01", "1-5"]


def literals(seed: int, count: int) -> Iterator[str]:
    """Texts of literals, the same for the same seed."""
    chosen = random.Random(seed)
    for _ in range(count):
        yield chosen.choice([_number, _number, _text, _moment, _moment, _word])(chosen)


def _number(chosen: random.Random) -> str:
    sign = chosen.choice(["", "", "-", "- "])
    whole = str(chosen.choice([chosen.choice(_EDGES), chosen.randrange(10), chosen.randrange(10**12), 0, 16777217]))
    form = chosen.randrange(6)
    if form < 3:
        return sign + chosen.choice(["", "", "00"]) + whole
    digits = "".join(chosen.choices("0123456789", k=chosen.choice([0, 1, 2, 3, 7, 15, 25])))
    if form < 5:
        return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}."
    return f"{sign}{whole}.{digits or 0}e{chosen.choice([0, 1, -3, 20, -40, 37, 308, -320])}"


def _text(chosen: random.Random) -> str:
    return f"'{chosen.choice(_TEXTS)}'"


def _moment(chosen: random.Random) -> str:
    clock = chosen.choice(_CLOCKS)
    zone = chosen.choice(_ZONES) if clock else ""
    word = chosen.choice(["", "", "", "DATE "]) if not clock else ""
    return f"{word}'{chosen.choice(_YEARS)}-{chosen.choice(_DAYS)}{clock}{zone}'"


def _word(chosen: random.Random) -> str:
    return chosen.choice(["NULL", "TRUE", "false", "null"])
