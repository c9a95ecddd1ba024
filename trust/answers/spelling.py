"""Values as literals of each dialect."""

import math
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any


def spark_literal(value: Any, kind: str = "") -> str:
    """A value as Spark's SQL writes it; with the kind, as a value of that kind."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case float() if math.isnan(value) or math.isinf(value):
            return f"CAST('{_odd_float(value)}' AS {'FLOAT' if kind == 'flt' else 'DOUBLE'})"
        case float():
            return f"CAST({value!r} AS FLOAT)" if kind == "flt" else f"{value!r}D"
        case int() | Decimal():
            return _number(value)
        case str():
            return quoted_text(value)
        case bytes():
            return f"X'{value.hex()}'"
        case datetime():
            word = "TIMESTAMP_NTZ" if value.tzinfo is None else "TIMESTAMP_LTZ"
            return f"{word} '{value.isoformat(' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case Mapping():
            kinds = {"e": "dbl"}
            fields = (f"'{name}', {spark_literal(child, kinds.get(name, ''))}" for name, child in value.items())
            return f"named_struct({', '.join(fields)})"
        case list() if kind == "map":
            return f"map({', '.join(f'{spark_literal(key)}, {spark_literal(child)}' for key, child in value)})"
        case list():
            return f"array({', '.join(spark_literal(child) for child in value)})"
    raise TypeError(type(value))


def duckdb_literal(value: Any, kind: str = "") -> str:
    """A value as DuckDB's SQL writes it."""
    match value:
        case bool() | None:
            return spark_literal(value)
        case float():
            return f"CAST('{_odd_float(value)}' AS {'FLOAT' if kind == 'flt' else 'DOUBLE'})"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bytes():
            return "'" + "".join(f"\\x{byte:02x}" for byte in value) + "'::BLOB"
        case datetime():
            word = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMPTZ"
            return f"{word} '{value.isoformat(' ')}'"
        case Mapping():
            fields = (f"'{name}': {duckdb_literal(child)}" for name, child in value.items())
            return "{" + ", ".join(fields) + "}"
        case list() if kind != "map":
            return f"[{', '.join(duckdb_literal(child) for child in value)}]"
    return spark_literal(value, kind)


def quoted_text(text: str) -> str:
    """A text as a literal in which Spark finds it again, on one line: backslashes, quotes and line breaks escaped."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def _number(value: int | Decimal) -> str:
    if isinstance(value, Decimal):
        text = f"{value:f}"
        return text if "." in text or abs(value) < 2**31 else f"{text}BD"
    if value == -(2**63):
        # It has no literal: without its sign it would be one too large.
        return "(-9223372036854775807L - 1)"
    return str(value) if abs(value) < 2**31 else f"{value}L"


def _odd_float(value: float) -> str:
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return "NaN" if math.isnan(value) else repr(value)
