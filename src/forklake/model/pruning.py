"""File pruning: translates predicates on rows to filters on file statistics.

A file filter may keep a file without matching rows, but never drops one with a matching row. A file is kept if anything
is unknown: it has no statistics for a column, a bound is missing, or a constant is not comparable with the column. The
store evaluates filters in SQL; `may_match` defines their semantics.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import chain

from forklake.model.column_types import FLOATS, INTEGERS, TIMESTAMPS, ColumnType
from forklake.model.ids import ColumnId, PartitionId, SnapshotId
from forklake.model.partitions import PartitionSpec, possible_values
from forklake.model.predicates import (
    And,
    CalendarPartIn,
    Comparison,
    In,
    IsNotNull,
    IsNull,
    Not,
    Operator,
    Or,
    Path,
    Predicate,
    StartsWith,
    UnknownPredicate,
    constant_value,
    is_nan,
    negate,
)
from forklake.model.statistics import (
    KEY_BYTES,
    MAX_TEXT_BYTES,
    ColumnStats,
    Exact,
    as_float32,
    key_for_value,
    pruning_key,
    text_successor,
)

MAX_RANGES = 64
"""A longer list of constants is treated as the range from the smallest to the largest."""
MAX_PARTITION_VALUES = 1000

# Types with reliable statistics; DuckLake writes a count of zero for intervals and times with time zone.
_OTHERS = frozenset({"boolean", "decimal", "date", "time", "varchar", "json", "blob", "uuid"})
COUNTED = INTEGERS | FLOATS | TIMESTAMPS | _OTHERS
# DuckLake does not count values of these types, so a count of zero is meaningless.
_UNCOUNTED = frozenset({"interval", "timetz", "time_ns", "geometry", "variant", "struct", "list", "map"})
_FLOAT32_MAX = 3.4028234663852886e38


@dataclass(frozen=True, slots=True)
class PrunableColumn:
    """A column with file statistics, except in files older than the snapshot that `added` it."""

    column_id: ColumnId
    type: ColumnType
    added: SnapshotId | None = None


@dataclass(frozen=True, slots=True)
class Everything:
    """Keeps every file."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """Keeps no file."""


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: "tuple[FileFilter, ...]"


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: "tuple[FileFilter, ...]"


@dataclass(frozen=True, slots=True)
class KeyRange:
    """Keeps files with values between low and high; with `or_nan` also files that may contain NaN.

    The text bounds, used for strings only, are compared with the stored bounds byte by byte. A range for a single
    `value` also drops what is proven not to have it; the store has no such proofs, and ignores it.
    """

    column_id: ColumnId
    low: float
    high: float
    text_low: str | None = None
    text_high: str | None = None
    or_nan: bool = False
    added: SnapshotId | None = None
    value: Exact | None = None


@dataclass(frozen=True, slots=True)
class HasNulls:
    column_id: ColumnId
    added: SnapshotId | None = None


@dataclass(frozen=True, slots=True)
class HasValues:
    column_id: ColumnId
    added: SnapshotId | None = None


@dataclass(frozen=True, slots=True)
class NotOnly:
    """Keeps files with any value other than the one with this key; strings are identified by their text."""

    column_id: ColumnId
    key: float
    added: SnapshotId | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class PartitionIn:
    """Keeps files whose partition value is listed, and all files with another partition spec."""

    partition_id: PartitionId
    key_index: int
    values: tuple[str | None, ...]


KeyedStats = tuple[ColumnStats, tuple[float, float]]
"""Statistics of a column in a file, with their `stored_keys`."""
FileFilter = Everything | Nothing | AllOf | AnyOf | KeyRange | HasNulls | HasValues | NotOnly | PartitionIn
Columns = Mapping[Path, PrunableColumn]


def stored_keys(column_type: ColumnType, stats: ColumnStats) -> tuple[float, float]:
    """The interval that contains all values; empty if there are none. NaN is greater than all numbers, as in Spark.

    An interval without lower bound, or with a width that overflows a double, has no upper bound either, so that
    searches by upper bound and maximum width can look up unbounded intervals separately.
    """
    if stats.value_count == 0 and column_type.name not in _UNCOUNTED:
        return math.inf, -math.inf
    low = pruning_key(column_type, stats.min_value, "min")
    high = pruning_key(column_type, stats.max_value, "max")
    unknown_nan = column_type.name in FLOATS and stats.contains_nan is not False
    if unknown_nan or math.isinf(high - low):
        high = math.inf
    return low, high


def key_width(keys: tuple[float, float]) -> float | None:
    """The width of a key interval, rounded up; None if it is unbounded or empty."""
    width = math.nextafter(keys[1] - keys[0], math.inf)
    return width if math.isfinite(width) else None


@dataclass(frozen=True, slots=True)
class PruningFacts:
    """Known properties of a file; `types` are the column types that its statistics were written with."""

    begin_snapshot: SnapshotId
    column_stats: Mapping[ColumnId, ColumnStats]
    types: Mapping[ColumnId, ColumnType]
    partition_id: PartitionId | None = None
    partition_values: tuple[str | None, ...] = ()
    absent: Mapping[ColumnId, Collection[Exact]] = field(default_factory=dict)
    """Values that are proven not to be in the file."""


def file_filter(predicate: Predicate, columns: Columns, partition: PartitionSpec | None = None) -> FileFilter:
    """The file filter implied by a predicate on rows; the paths in `columns` are in lower case."""
    match predicate:
        case And(parts):
            return _all_of(file_filter(part, columns, partition) for part in parts)
        case Or(parts):
            return _any_of(file_filter(part, columns, partition) for part in parts)
        case Not(part):
            return file_filter(negate(part), columns, partition)
        case UnknownPredicate():
            return Everything()
        case _:
            column = columns.get(tuple(name.lower() for name in predicate.column))
            if column is None or column.type.name not in COUNTED:
                return Everything()
            return _column_filter(predicate, column, partition)


def filtered_columns(file_filter: FileFilter) -> frozenset[ColumnId]:
    """The columns whose statistics a filter uses."""
    match file_filter:
        case AllOf(parts) | AnyOf(parts):
            return frozenset[ColumnId]().union(*map(filtered_columns, parts))
        case KeyRange() | HasNulls() | HasValues() | NotOnly():
            return frozenset({file_filter.column_id})
        case Everything() | Nothing() | PartitionIn():
            return frozenset()


def sought_values(file_filter: FileFilter) -> dict[ColumnId, frozenset[Exact]]:
    """The single values that a filter looks for, by column: it may use that they are absent from a file."""
    match file_filter:
        case AllOf(parts) | AnyOf(parts):
            found: dict[ColumnId, frozenset[Exact]] = {}
            for column_id, values in chain.from_iterable(sought_values(part).items() for part in parts):
                found[column_id] = found.get(column_id, frozenset()) | values
            return found
        case KeyRange(column_id=column_id, value=value) if value is not None:
            return {column_id: frozenset({value})}
        case _:
            return {}


def may_match(file_filter: FileFilter, facts: PruningFacts) -> bool:
    """Whether the file has to be read."""
    match file_filter:
        case Everything():
            return True
        case Nothing():
            return False
        case AllOf(parts):
            return all(may_match(part, facts) for part in parts)
        case AnyOf(parts):
            return any(may_match(part, facts) for part in parts)
        case PartitionIn(partition_id, key_index, values):
            known = facts.partition_id == partition_id and key_index < len(facts.partition_values)
            return not known or facts.partition_values[key_index] in values
        case KeyRange() | HasNulls() | HasValues() | NotOnly():
            return _stats_may_match(file_filter, facts)


def _stats_may_match(wanted: KeyRange | HasNulls | HasValues | NotOnly, facts: PruningFacts) -> bool:
    stats = facts.column_stats.get(wanted.column_id)
    column_type = facts.types.get(wanted.column_id)
    if stats is None or column_type is None:
        return True
    if wanted.added is not None and facts.begin_snapshot < wanted.added:
        return True
    if isinstance(wanted, HasNulls):
        return stats.null_count != 0
    if stats.value_count == 0:
        return False
    low = pruning_key(column_type, stats.min_value, "min")
    high = pruning_key(column_type, stats.max_value, "max")
    match wanted:
        case KeyRange(or_nan=True) if stats.contains_nan is not False:
            return True
        case KeyRange(value=value) if value is not None and value in facts.absent.get(wanted.column_id, ()):
            return False
        case KeyRange():
            return high >= wanted.low and low <= wanted.high and _texts_overlap(wanted, stats)
        case NotOnly(text=str(text)):
            return not stats.min_value == stats.max_value == text
        case NotOnly(key=key):
            return not low == high == key
        case HasValues():
            return True


def _texts_overlap(wanted: KeyRange, stats: ColumnStats) -> bool:
    # Python orders strings by code point, which equals the order of their UTF-8 bytes.
    low, high = wanted.text_low, wanted.text_high
    above = low is None or stats.max_value is None or stats.max_value >= low
    below = high is None or stats.min_value is None or stats.min_value <= high
    return above and below


def _all_of(parts: Iterable[FileFilter]) -> FileFilter:
    kept: dict[FileFilter, None] = {}
    for part in parts:
        if isinstance(part, Nothing):
            return part
        kept |= dict.fromkeys(part.parts if isinstance(part, AllOf) else [part])
    kept.pop(Everything(), None)
    return AllOf(tuple(kept)) if len(kept) > 1 else next(iter(kept), Everything())


def _any_of(parts: Iterable[FileFilter]) -> FileFilter:
    kept: dict[FileFilter, None] = {}
    for part in parts:
        if isinstance(part, Everything):
            return part
        kept |= dict.fromkeys(part.parts if isinstance(part, AnyOf) else [part])
    kept.pop(Nothing(), None)
    return AnyOf(tuple(kept)) if len(kept) > 1 else next(iter(kept), Nothing())


def _column_filter(
    predicate: Comparison | In | IsNull | IsNotNull | StartsWith | CalendarPartIn,
    column: PrunableColumn,
    partition: PartitionSpec | None,
) -> FileFilter:
    match predicate:
        case IsNull():
            return HasNulls(column.column_id, column.added)
        case IsNotNull():
            return HasValues(column.column_id, column.added)
        case StartsWith(prefix=prefix):
            return _starts_with(prefix, column)
        case CalendarPartIn(part=part, values=values):
            return _all_of(_calendar_filters(part, values, column, partition))
        case In(values=values):
            return _one_of([value for value in values if value is not None], column, partition)
        case Comparison(op="=", value=value):
            return _one_of([] if value is None else [value], column, partition)
        case Comparison(op=op, value=value):
            return Nothing() if value is None else _comparison(op, value, column)


def _comparison(op: Operator, value: object, column: PrunableColumn) -> FileFilter:
    if is_nan(value):
        return _nan_comparison(op, column)
    exact = constant_value(column.type, value)
    if exact is None:
        return Everything()
    if op == "<>":
        return _not_only(exact, column)
    strict = op in ("<", ">")
    if op in ("<", "<="):
        return _key_range(column, None, exact, strict=strict)
    return _key_range(column, exact, None, strict=strict, or_nan=column.type.name in FLOATS)


def _nan_comparison(op: Operator, column: PrunableColumn) -> FileFilter:
    """NaN equals itself and is greater than every other number."""
    if column.type.name not in FLOATS:
        return Everything()
    match op:
        case "=" | ">=":
            return _only_nan(column)
        case ">":
            return Nothing()
        case _:
            return HasValues(column.column_id, column.added)


def _one_of(values: list[object], column: PrunableColumn, partition: PartitionSpec | None) -> FileFilter:
    numbers = [value for value in values if not is_nan(value)]
    constants = [exact for value in numbers if (exact := constant_value(column.type, value)) is not None]
    if len(constants) < len(numbers):
        return Everything()
    # Rounded to a double, a constant may equal other values than its own.
    is_exact = column.type.name not in FLOATS and not any(isinstance(value, float) for value in numbers)
    ranges = [replace(_key_range(column, exact, exact), value=exact if is_exact else None) for exact in constants]
    if len(ranges) > MAX_RANGES:
        ranges = [_spanning_range(ranges)]
    nans = [_nan_comparison("=", column)] if len(numbers) < len(values) else []
    partitions = [] if nans or _are_rounded(numbers) else _partition_filters(column, partition, constants)
    return _all_of([_any_of([*ranges, *nans]), *partitions])


def _are_rounded(constants: list[object]) -> bool:
    """Whether a constant is a double so large that several integers are equal to it."""
    return any(isinstance(value, float) and abs(value) >= 2**53 for value in constants)


def _spanning_range(ranges: list[KeyRange]) -> KeyRange:
    """A single range that covers all of them."""
    lows = [each.text_low for each in ranges if each.text_low is not None]
    highs = [each.text_high for each in ranges if each.text_high is not None]
    return replace(
        ranges[0],
        value=None,
        low=min(each.low for each in ranges),
        high=max(each.high for each in ranges),
        text_low=min(lows) if len(lows) == len(ranges) else None,
        text_high=max(highs) if len(highs) == len(ranges) else None,
    )


def _key_range(
    column: PrunableColumn,
    low: Exact | None,
    high: Exact | None,
    *,
    strict: bool = False,
    or_nan: bool = False,
) -> KeyRange:
    low_key = -math.inf if low is None else key_for_value(low, "min")
    high_key = math.inf if high is None else key_for_value(high, "max")
    # An excluded bound moves inward by one double; also correct for rounded keys, which end up on the inner side.
    if strict and isinstance(low, Decimal):
        low_key = math.nextafter(low_key, math.inf)
    if strict and isinstance(high, Decimal):
        high_key = math.nextafter(high_key, -math.inf)
    if column.type.name == "float32":
        low_key, high_key = _widen_for_float32(low_key, high_key)
    return KeyRange(
        column.column_id,
        low_key,
        high_key,
        _text_bound(column, low),
        _text_bound(column, high),
        or_nan,
        column.added,
    )


def _widen_for_float32(low: float, high: float) -> tuple[float, float]:
    """Widen the range by one float32 on each side.

    A file written before the column became a float32 has exact integers in its statistics, while its rows are read as
    the nearest float32.
    """
    low, high = min(low, _FLOAT32_MAX), max(high, -_FLOAT32_MAX)
    return low - abs(low) * 2**-23 - 2**-149, high + abs(high) * 2**-23 + 2**-149


def _text_bound(column: PrunableColumn, exact: Exact | None) -> str | None:
    # Databases reject NUL in text; the key alone is sufficient for correctness.
    if column.type.name != "varchar" or not isinstance(exact, bytes) or b"\0" in exact:
        return None
    return exact.decode()


def _only_nan(column: PrunableColumn) -> KeyRange:
    return KeyRange(column.column_id, math.inf, -math.inf, or_nan=True, added=column.added)


def _not_only(exact: Exact, column: PrunableColumn) -> FileFilter:
    key = key_for_value(exact, "min")
    if not _key_is_value(exact, key, column.type):
        return HasValues(column.column_id, column.added)
    others = NotOnly(column.column_id, key, column.added, _text_bound(column, exact))
    return AnyOf((others, _only_nan(column))) if column.type.name in FLOATS else others


def _key_is_value(exact: Exact, key: float, column_type: ColumnType) -> bool:
    """Whether no other value of the column has the same key, or for strings the same text."""
    if isinstance(exact, bytes):
        # A possibly truncated bound is not taken as a value, although both bounds would have to be equal.
        return column_type.name == "varchar" and len(exact) < MAX_TEXT_BYTES - 3 and b"\0" not in exact
    return Decimal(key) == exact and (column_type.name != "float32" or as_float32(key) == key)


def _starts_with(prefix: str, column: PrunableColumn) -> FileFilter:
    exact = constant_value(column.type, prefix)
    if column.type.name != "varchar" or not isinstance(exact, bytes):
        return Everything()
    if not prefix:
        return HasValues(column.column_id, column.added)
    successor = None if "\0" in prefix else text_successor(prefix)
    highest = exact if len(exact) > KEY_BYTES else exact.ljust(KEY_BYTES + 1, b"\xff")
    return KeyRange(
        column.column_id,
        key_for_value(exact, "min"),
        key_for_value(highest, "max"),
        _text_bound(column, exact),
        successor,
        added=column.added,
    )


def _calendar_filters(
    part: str, values: tuple[int, ...], column: PrunableColumn, partition: PartitionSpec | None
) -> list[FileFilter]:
    """The filters from partition keys with this transform of the column; statistics and other keys do not help."""
    listed = tuple(sorted(str(value) for value in set(values)))
    return [
        PartitionIn(partition.partition_id, index, listed)
        for index, key in enumerate(partition.keys if partition is not None else ())
        if partition is not None and key.column_id == column.column_id and key.transform == part
    ]


def _partition_filters(
    column: PrunableColumn, partition: PartitionSpec | None, constants: list[Exact]
) -> list[FileFilter]:
    """The filters from partition keys on this column, for files that contain one of the constants."""
    filters: list[FileFilter] = []
    for index, key in enumerate(partition.keys if partition is not None else ()):
        if partition is not None and key.column_id == column.column_id:
            found = [possible_values(key.transform, column.type, exact) for exact in constants]
            known = [values for values in found if values is not None]
            listed = frozenset[str]().union(*known)
            if len(known) == len(found) and len(listed) <= MAX_PARTITION_VALUES:
                filters.append(PartitionIn(partition.partition_id, index, tuple(sorted(listed))))
    return filters
