"""The options of lakes, schemas and tables: defaults, validation and normalisation."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Literal

from forklake.errors import InvalidOption
from forklake.model.names import closest_name, fold

Scope = Literal["global", "schema", "table"]

FIXED_OPTIONS = frozenset({"version", "created_by", "data_path", "encrypted"})

_EVERYWHERE: frozenset[Scope] = frozenset({"global", "schema", "table"})
_GLOBAL: frozenset[Scope] = frozenset({"global"})
_LARGEST = 2**63 - 1
_CODECS = ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4", "lz4_raw")
_BOOLEANS = {"true": "true", "1": "true", "on": "true", "false": "false", "0": "false", "off": "false"}
_SIZE_UNITS = {
    **dict.fromkeys(("", "b", "byte", "bytes"), 1),
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgt", start=1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", start=1)},
}
_INTERVAL_UNITS = {
    "microsecond": timedelta(microseconds=1),
    "millisecond": timedelta(milliseconds=1),
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_SHORT_UNITS = {
    "us": "microsecond",
    "ms": "millisecond",
    "s": "second",
    "sec": "second",
    "min": "minute",
    "h": "hour",
    "d": "day",
    "w": "week",
}
_INTERVAL_PART = re.compile(r"\s*([0-9]{1,18})\s*([a-z]+)\s*")
_NO_FIXED_LENGTH = re.compile(r"\b[0-9]+\s*(months?|mons?|quarters?|years?|y|decades?|centur(y|ies))\b")


@dataclass(frozen=True, slots=True)
class Option:
    """An option; the default None leaves the choice to the engine, or the feature disabled."""

    name: str
    description: str
    default: str | None
    scopes: frozenset[Scope]
    normalise: Callable[[str, object], str] = field(repr=False, compare=False)


def find_option(name: str) -> Option:
    """The option with this name (case-insensitive); raises `InvalidOption` if it is unknown or cannot be set."""
    option = OPTIONS.get(fold(name))
    if option is not None:
        return option
    if fold(name) in FIXED_OPTIONS:
        raise InvalidOption(f"The option {fold(name)} is fixed when the lake is created and cannot be set.")
    suggestion = closest_name(name, OPTIONS)
    hint = f"; did you mean {suggestion}?" if suggestion else f"; the options are {', '.join(OPTIONS)}."
    raise InvalidOption(f"Unsupported option {name[:80]}{hint}")


def normalise_option(name: str, value: object) -> str:
    """The stored text for an option value; raises `InvalidOption` if the value is invalid."""
    option = find_option(name)
    if value is None:
        raise InvalidOption(f"The {option.name} option can't be null.")
    return option.normalise(option.name, value)


def parse_interval(text: str) -> timedelta:
    """Parses an interval such as '2 days' or '1 day 12 hours'; only units of fixed length."""
    try:
        return sum((count * _INTERVAL_UNITS[unit] for count, unit in _interval_parts(text)), timedelta())
    except OverflowError:
        raise InvalidOption(f"{_quoted_excerpt(text)} is not a valid interval value. It is too long.") from None


def _interval_parts(text: str) -> list[tuple[int, str]]:
    folded = text.lower().strip()
    parts: list[tuple[int, str]] = []
    position = 0
    while match := _INTERVAL_PART.match(folded, position):
        parts.append((int(match[1]), _interval_unit(match[2])))
        position = match.end()
    if not parts or position != len(folded) or any(unit not in _INTERVAL_UNITS for _, unit in parts):
        raise InvalidOption(f"{_quoted_excerpt(text)} is not a valid interval value. {_interval_hint(folded)}")
    return parts


def _interval_unit(word: str) -> str:
    return _SHORT_UNITS.get(word) or word.removesuffix("s")


def _interval_hint(folded: str) -> str:
    if _NO_FIXED_LENGTH.search(folded):
        return "Months and years have no fixed length; use days or weeks."
    return "Use a number and a unit from microseconds to weeks, such as '2 days'."


def _interval(name: str, value: object) -> str:
    if isinstance(value, timedelta):
        return _interval_text(value)
    if not isinstance(value, str):
        raise InvalidOption(f"{_quoted_excerpt(value)} is not a valid interval value. {_interval_hint('')}")
    parse_interval(value)
    return " ".join(_count_text(count, unit) for count, unit in _interval_parts(value))


def _interval_text(value: timedelta) -> str:
    if value < timedelta():
        raise InvalidOption(f"{value} is not a valid interval value. It is negative.")
    counts = {"day": value.days, "second": value.seconds, "microsecond": value.microseconds}
    return " ".join(_count_text(count, unit) for unit, count in counts.items() if count) or "0 seconds"


def _count_text(count: int, unit: str) -> str:
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def _boolean(name: str, value: object) -> str:
    stored = _BOOLEANS.get(str(value).strip().lower())
    if stored is None:
        raise InvalidOption(f"The {name} option must be true or false, not {_quoted_excerpt(value)}.")
    return stored


def _whole_number(name: str, value: object, *, least: int, most: int = _LARGEST) -> str:
    text = "" if isinstance(value, bool) else str(value).strip()
    if not re.fullmatch(r"[0-9]{1,19}", text) or not least <= int(text) <= most:
        limits = f"from {least} to {most}" if most < _LARGEST else f"of at least {least}"
        raise InvalidOption(f"The {name} option must be a whole number {limits}, not {_quoted_excerpt(value)}.")
    return str(int(text))


def _row_limit(name: str, value: object) -> str:
    return _whole_number(name, value, least=0)


def _compression_level(name: str, value: object) -> str:
    return _whole_number(name, value, least=0, most=22)


def _row_group_size(name: str, value: object) -> str:
    _refuse_empty_row_groups(name, value)
    return _whole_number(name, value, least=1)


def _row_group_bytes(name: str, value: object) -> str:
    _refuse_empty_row_groups(name, value)
    return _size(name, value)


def _refuse_empty_row_groups(name: str, value: object) -> None:
    if str(value).strip() == "0":
        raise InvalidOption(f"Row group size cannot be 0: the {name} option must be greater than zero.")


def _size(name: str, value: object) -> str:
    text = "" if isinstance(value, bool) else str(value).strip().lower()
    match = re.fullmatch(r"([0-9]{1,19}(?:\.[0-9]{1,9})?)\s*([a-z]*)", text)
    if match is None or match[2] not in _SIZE_UNITS:
        raise InvalidOption(
            f"The {name} option must be a size such as 512MiB, 10MB or 1000000, not {_quoted_excerpt(value)}."
        )
    size = int(Decimal(match[1]) * _SIZE_UNITS[match[2]])
    if not 1 <= size <= _LARGEST:
        raise InvalidOption(
            f"The {name} option must be greater than zero and fit 63 bits, not {_quoted_excerpt(value)}."
        )
    return str(size)


def _codec(name: str, value: object) -> str:
    codec = str(value).strip().lower()
    if codec not in _CODECS:
        raise InvalidOption(f'Unsupported codec "{str(value)[:80]}" for parquet; use {", ".join(_CODECS)}.')
    return codec


def _parquet_version(name: str, value: object) -> str:
    version = str(value).strip().upper().removeprefix("V")
    if isinstance(value, bool) or version not in {"1", "2"}:
        raise InvalidOption(f"Only Parquet version 1 and 2 are supported, not {_quoted_excerpt(value)}.")
    return f"V{version}"


def _fraction(name: str, value: object) -> str:
    try:
        share = math.nan if isinstance(value, bool) else float(str(value))
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:  # NaN fails this too
        raise InvalidOption(f"The {name} must be between 0 and 1, not {_quoted_excerpt(value)}.")
    return repr(abs(share))  # abs: no '-0.0'


def _quoted_excerpt(value: object) -> str:
    """The value as shown in error messages: escaped, and truncated if long."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _option(
    name: str,
    default: str | None,
    normalise: Callable[[str, object], str],
    description: str,
    scopes: frozenset[Scope] = _EVERYWHERE,
) -> Option:
    return Option(name, description, default, scopes, normalise)


_ALL = (
    _option("data_inlining_row_limit", "0", _row_limit, "Maximum number of rows of an insert stored in the metadata"),
    _option("target_file_size", "536870912", _size, "Target size of data files in bytes"),
    _option("parquet_compression", "snappy", _codec, "Compression codec of Parquet files"),
    _option("parquet_compression_level", None, _compression_level, "Compression level of Parquet files"),
    _option("parquet_version", None, _parquet_version, "Parquet format version: V1 or V2"),
    _option("parquet_row_group_size", None, _row_group_size, "Rows per row group of Parquet files"),
    _option("parquet_row_group_size_bytes", None, _row_group_bytes, "Bytes per row group of Parquet files"),
    _option("hive_file_pattern", "true", _boolean, "Whether partitions are stored in directories named column=value"),
    _option("per_thread_output", "false", _boolean, "Whether each parallel writer writes its own files"),
    _option("auto_compact", "true", _boolean, "Whether compaction of the whole lake includes the table"),
    _option("rewrite_delete_threshold", "0.95", _fraction, "Minimum share of deleted rows for a file to be rewritten"),
    _option("delete_older_than", "2 days", _interval, "Age at which cleanup deletes released files", _GLOBAL),
    _option("expire_older_than", None, _interval, "Age at which snapshots expire", _GLOBAL),
    _option("require_commit_message", "false", _boolean, "Whether commits require an author and a message", _GLOBAL),
    _option("sort_on_insert", "true", _boolean, "Whether rows inserted into a sorted table are sorted"),
)
OPTIONS: Mapping[str, Option] = {option.name: option for option in _ALL}
