"""Partition keys: transforms of column values to partition values and folder names.

The bucket function hashes like DuckLake, which differs from Iceberg for unsigned integers, decimals and uuids, because
both must assign a value to the same bucket.
"""

import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from urllib.parse import quote
from uuid import UUID

from forklake.errors import InvalidChange, InvalidInput
from forklake.model.column_types import FLOATS, INTEGERS, TIMESTAMPS, UNSIGNED, ColumnType
from forklake.model.ids import ColumnId, PartitionId
from forklake.model.statistics import Exact, exact_value, utc_moment, value_text

NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"
MAX_BUCKETS = 2**31 - 1

_CALENDAR = ("year", "month", "day", "hour")
_BUCKET = re.compile(r"bucket\s*\(\s*([+-]?\d+)\s*\)", re.ASCII)
_OTHERS = frozenset({"boolean", "decimal", "date", "time", "varchar", "json", "blob", "uuid"})
_PARTITIONABLE = INTEGERS | FLOATS | TIMESTAMPS | _OTHERS
_DAY = 86_400 * 10**6
_TICKS = {"timestamp_s": 1, "timestamp_ms": 10**3, "timestamp_ns": 10**9}


@dataclass(frozen=True, slots=True)
class PartitionKey:
    """A column of a partition spec, with the transform in its stored form, such as `year` or `bucket(16)`."""

    column_id: ColumnId
    transform: str


@dataclass(frozen=True, slots=True)
class PartitionSpec:
    """The partitioning of new files of a table; older files may use older specs."""

    partition_id: PartitionId
    keys: tuple[PartitionKey, ...]


def parse_transform(text: str) -> str:
    """The stored form of a transform; Spark's plurals (`years`) are accepted."""
    name = text.strip().lower()
    singular = name.removesuffix("s")
    if name == "identity" or singular in _CALENDAR:
        return name if name == "identity" else singular
    function = name.split("(")[0].strip()
    if function != "bucket":
        raise InvalidChange(
            f"Unsupported partition function {function} - only year, month, day, hour, and bucket are supported"
        )
    found = _BUCKET.fullmatch(name)
    if found is None:
        raise InvalidChange(f"Expected bucket(bucket_count, column), but got {text.strip()}")
    count = int(found[1])
    if count <= 0:
        raise InvalidChange("Bucket count must be positive")
    if count > MAX_BUCKETS:
        raise InvalidChange(f"Bucket count cannot exceed {MAX_BUCKETS}")
    return f"bucket({count})"


def transform_accepts(transform: str, column_type: ColumnType) -> bool:
    """Whether a column of this type can be partitioned by this transform."""
    if transform in ("year", "month", "day"):
        return column_type.name == "date" or column_type.name in TIMESTAMPS
    if transform == "hour":
        return column_type.name in TIMESTAMPS | {"date", "time"}
    return column_type.name in _PARTITIONABLE


def transform_value(transform: str, column_type: ColumnType, value: object) -> str | None:
    """The partition value for a column value, as raw text; None for NULL."""
    if value is None:
        return None
    if transform in _CALENDAR:
        text = _calendar_text(transform, value)
    elif transform == "identity":
        text = _identity_text(column_type, value)
    else:
        text = _bucket_text(transform, column_type, value)
    if text is None:
        raise InvalidInput(f"{value!r} of type {column_type.text} has no partition value for {transform}")
    return text


def possible_values(transform: str, column_type: ColumnType, exact: Exact) -> frozenset[str] | None:
    """All partition values that files containing this value can have; None if they cannot be determined.

    A file keeps the partition value derived from the type that its column had when it was written. So for a type that
    others can be promoted to, all their forms count. If there are too many forms, pruning relies on the column's
    statistics.
    """
    if transform in _CALENDAR:
        return None
    forms = _possible_forms(column_type, exact)
    if forms is None:
        return None
    if transform == "identity":
        return frozenset(text for text, _ in forms)
    count = _bucket_count(transform)
    return frozenset(str(_bucket(raw, count)) for _, raw in forms)


def directory_names(keys: Sequence[tuple[PartitionKey, str]]) -> tuple[str, ...]:
    """The folder name for each key, given with its column name, which is appended if the folder name is taken."""
    names: list[str] = []
    for key, column in keys:
        base = column if key.transform == "identity" else key.transform.split("(")[0]
        names.append(_free_name(base, column, {name.lower() for name in names}))
    return tuple(names)


def hive_segment(name: str, value: str | None) -> str:
    """The folder `name=value`, both URL-encoded."""
    return f"{quote(name, safe='')}={NULL_FOLDER if value is None else quote(value, safe='')}"


def murmur3(data: bytes) -> int:
    """MurmurHash3 x86 32-bit with seed 0, unsigned."""
    state = 0
    whole = len(data) // 4 * 4
    for at in range(0, whole, 4):
        state ^= _mix(data[at : at + 4])
        state = (_rotate_left(state, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    if whole < len(data):
        state ^= _mix(data[whole:])
    state ^= len(data)
    state = ((state ^ (state >> 16)) * 0x85EBCA6B) & 0xFFFFFFFF
    state = ((state ^ (state >> 13)) * 0xC2B2AE35) & 0xFFFFFFFF
    return state ^ (state >> 16)


def _mix(block: bytes) -> int:
    scrambled = (int.from_bytes(block, "little") * 0xCC9E2D51) & 0xFFFFFFFF
    return (_rotate_left(scrambled, 15) * 0x1B873593) & 0xFFFFFFFF


def _rotate_left(word: int, by: int) -> int:
    return ((word << by) | (word >> (32 - by))) & 0xFFFFFFFF


def _free_name(base: str, column: str, taken: set[str]) -> str:
    name = base if base.lower() not in taken else f"{base}_{column}"
    number = 2
    while name.lower() in taken:
        name = f"{base}_{column}_{number}"
        number += 1
    return name


def _calendar_text(part: str, value: object) -> str | None:
    if isinstance(value, time):
        return str(value.hour) if part == "hour" else None
    moment = utc_moment(value)
    return None if moment is None else str(getattr(moment, part))


def _identity_text(column_type: ColumnType, value: object) -> str | None:
    if isinstance(value, bool) and column_type.name == "boolean":
        return str(value).lower()
    if isinstance(value, float) and math.isnan(value) and column_type.name in FLOATS:
        return "nan"
    if isinstance(value, bytes) and column_type.name == "blob":
        return _escape_bytes(value)
    return value_text(column_type, value)


def _escape_bytes(raw: bytes) -> str:
    """Bytes as printed by DuckDB: plain ASCII unchanged, everything else as \\xNN."""
    return "".join(chr(b) if 32 <= b <= 126 and chr(b) not in "\\'\"" else f"\\x{b:02X}" for b in raw)


def _bucket_text(transform: str, column_type: ColumnType, value: object) -> str | None:
    raw = _hash_input(column_type, value)
    return None if raw is None else str(_bucket(raw, _bucket_count(transform)))


def _bucket_count(transform: str) -> int:
    found = _BUCKET.fullmatch(transform)
    if found is None:
        raise InvalidChange(f"Unsupported partition function {transform}")
    return int(found[1])


def _bucket(raw: bytes, count: int) -> int:
    return (murmur3(raw) & 0x7FFFFFFF) % count


def _hash_input(column_type: ColumnType, value: object) -> bytes | None:
    """The bytes to hash: eight bytes for values that DuckDB stores as numbers, else the raw or printed value."""
    if isinstance(value, bytes) and column_type.name == "blob":
        return value
    if isinstance(value, int | float) and column_type.name in FLOATS:
        # All NaNs are equal, and so are the two zeros.
        return struct.pack("<d", math.nan if math.isnan(value) else value + 0.0)
    text = value_text(column_type, value)
    exact = None if text is None else exact_value(column_type, text)
    if text is None or exact is None:
        # A string with a NUL cannot be represented in statistics, but can be hashed.
        return value.encode() if isinstance(value, str) and column_type.name in ("varchar", "json") else None
    ticks = _ticks(column_type, exact)
    return text.encode() if ticks is None else _eight_bytes(ticks)


def _ticks(column_type: ColumnType, exact: Exact) -> int | None:
    """DuckDB's internal integer representation of the value, if it has at most eight bytes."""
    name = column_type.name
    if isinstance(exact, bytes) or name in ("int128", *UNSIGNED):
        return None
    if name == "decimal":
        small = (column_type.precision or 0) <= 18
        return int(exact.scaleb(column_type.scale or 0)) if small else None
    if name == "date":
        return int(exact) // _DAY
    return int(exact * _TICKS.get(name, 10**6) / 10**6) if name in TIMESTAMPS else int(exact)


def _eight_bytes(number: int) -> bytes:
    return (number & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "little")


def _possible_forms(column_type: ColumnType, exact: Exact) -> list[tuple[str, bytes]] | None:
    """The identity text and hash input of a value, for each type that may have been used to write it."""
    if isinstance(exact, bytes):
        return _bytes_forms(column_type.name, exact)
    if not exact.is_finite() or exact != exact.to_integral_value():
        return None
    if column_type.name == "boolean" or column_type.name in INTEGERS:
        return _integer_forms(int(exact))
    if column_type.name == "date" and int(exact) % _DAY == 0:
        return _date_forms(int(exact) // _DAY)
    return None


def _bytes_forms(name: str, raw: bytes) -> list[tuple[str, bytes]] | None:
    match name:
        # A NUL cannot be stored as text, so no file has such a string as partition value.
        case "varchar" if b"\0" not in raw:
            return [(raw.decode(), raw)]
        case "uuid":
            return [(str(UUID(bytes=raw)), str(UUID(bytes=raw)).encode())]
        case "blob":
            return [(_escape_bytes(raw), raw)]
        case _:
            return None


def _integer_forms(number: int) -> list[tuple[str, bytes]]:
    """Signed integers and booleans are hashed as eight bytes, others as text; the text of booleans is a word."""
    text = str(number)
    words = {0: "false", 1: "true"}
    return [(text, text.encode()), (words.get(number, text), _eight_bytes(number))]


def _date_forms(days: int) -> list[tuple[str, bytes]] | None:
    try:
        return [((date(1970, 1, 1) + timedelta(days)).isoformat(), _eight_bytes(days))]
    except OverflowError:
        return None
