"""DEFAULT expressions of columns: values that are stored as text, or expressions that are worked out on insert."""

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Literal

from forklake.errors import InvalidInput
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import ColumnType, parse_type
from forklake.sql.constants import constant
from forklake.sql.duckdb_to_spark import expression_to_spark
from forklake.sql.statements import ColumnText

_SPARK_TIMESTAMP = re.compile(r"\bTIMESTAMP\b(?!\s+WITH)", re.IGNORECASE)

Default = tuple[str | None, Literal["literal", "expression"] | None]


def default_of(text: str | None, dialect: str) -> Default:
    """What is stored for a DEFAULT; NULL is none."""
    if text is None:
        return None, None
    try:
        value = constant(text, dialect)
    except (InvalidInput, TypeError):
        return (expression_to_spark(text) if dialect == "duckdb" else text), "expression"
    if value is None:
        return None, None
    if _is_word(text) or isinstance(value, list) or _is_moving(text):
        return (expression_to_spark(text) if dialect == "duckdb" else text), "expression"
    return literal_text(value), "literal"


def literal_text(value: object) -> str:
    """A constant as the text of a default."""
    match value:
        case bool():
            return str(value).lower()
        case datetime():
            return value.replace(tzinfo=None).isoformat(" ")
        case date() | Decimal() | int() | float() | str():
            return str(value)
    return str(value)


def column_spec(column: ColumnText, dialect: str) -> ColumnSpec:
    """A column as the catalog takes it."""
    if not column.type:
        raise InvalidInput(f"Column '{column.name}' needs a type.")
    default, kind = default_of(column.default, dialect)
    return ColumnSpec(
        column.name, type_of(column.type, dialect), column.nullable, default, kind, "spark", column.comment
    )


def type_of(text: str, dialect: str) -> ColumnType:
    """The type that a text means in a dialect: to Spark, a TIMESTAMP is a moment, and TIMESTAMP_NTZ a wall clock."""
    return parse_type(_SPARK_TIMESTAMP.sub("TIMESTAMP_LTZ", text) if dialect == "spark" else text)


def _is_word(text: str) -> bool:
    stripped = text.strip().lower()
    return stripped.isidentifier() and stripped not in ("true", "false", "null")


def _is_moving(text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in ("now", "current_", "today"))
