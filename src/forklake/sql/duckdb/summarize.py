"""SUMMARIZE: DuckDB's statistics of each column of a table, as one Spark query."""

import re
from collections.abc import Mapping

from forklake.spark.values.quoting import quoted_name

_NUMBER = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?\b|DECIMAL|NUMERIC|DOUBLE|FLOAT|REAL", re.IGNORECASE)
_MOMENT = re.compile(r"DATE\b|TIMESTAMP", re.IGNORECASE)
_UNORDERED = re.compile(r"MAP\b|VARIANT|GEOMETRY", re.IGNORECASE)
_NOTHING = "CAST(NULL AS STRING)"


def summary_query(columns: Mapping[str, str], source: str = "source") -> str:
    """A query with one row per column and its DuckDB type, in one pass over `source`; quartiles are approximate."""
    rows = ", ".join(_summary_row(name, type_) for name, type_ in columns.items())
    return f"SELECT INLINE(ARRAY({rows})) FROM {source}"


def _summary_row(name: str, type_: str) -> str:
    column, nested = quoted_name(name), type_.rstrip().endswith("]") or type_.upper().startswith("STRUCT")
    is_number = not nested and _NUMBER.match(type_) is not None
    ordered = not nested and (is_number or _MOMENT.match(type_) is not None)
    comparable = _UNORDERED.match(type_) is None
    number = f"CAST({column} AS DOUBLE)"
    fields = {
        "column_name": _string_literal(name),
        "column_type": _string_literal(type_),
        "min": _as_valid_text(f"MIN({column})") if comparable else _NOTHING,
        "max": _as_valid_text(f"MAX({column})") if comparable else _NOTHING,
        "approx_unique": f"APPROX_COUNT_DISTINCT({column if comparable else f'TO_JSON({column})'})",
        "avg": f"CAST(AVG({number}) AS STRING)" if is_number else _NOTHING,
        "std": f"CAST(STDDEV({number}) AS STRING)" if is_number else _NOTHING,
        **{f"q{share}": _quartile(column, share, ordered) for share in (25, 50, 75)},
        "count": "COUNT(*)",
        "null_percentage": f"CAST(100.0 * COUNT_IF({column} IS NULL) / NULLIF(COUNT(*), 0) AS DECIMAL(9, 2))",
    }
    return f"NAMED_STRUCT({', '.join(f'{_string_literal(key)}, {value}' for key, value in fields.items())})"


def _as_valid_text(value: str) -> str:
    """A value as text; invalid UTF-8 is replaced."""
    return f"MAKE_VALID_UTF8(CAST({value} AS STRING))"


def _quartile(column: str, share: int, ordered: bool) -> str:
    """An interpolated approximation may lie outside the range of values: it is clamped to the bounds."""
    found = f"PERCENTILE_APPROX({column}, {share / 100})"
    return f"CAST(GREATEST(LEAST({found}, MAX({column})), MIN({column})) AS STRING)" if ordered else _NOTHING


def _string_literal(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
