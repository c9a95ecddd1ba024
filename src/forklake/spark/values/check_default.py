"""Whether a column can hold a default; checked without Spark."""

from dataclasses import replace

import pyarrow as pa

from forklake.errors import InvalidInput, InvalidRows
from forklake.model.column_types import NESTED, ColumnType
from forklake.model.entities import Column
from forklake.spark.tasks.types.default_literals import literal
from forklake.spark.tasks.types.type_forms import shown_type
from forklake.spark.values.assign_array import assigned_array


def check_default(text: str, column: Column) -> None:
    """Raise InvalidInput if the column cannot hold the default with this text."""
    match column.type.name:
        case "variant":
            # In rows, too, variants are read from JSON.
            _check_held(pa.array([text]), replace(column, type=ColumnType("json")))
        case name if name not in NESTED:
            _check_held(pa.array([literal(text, column)], shown_type(column.type)), column)


def _check_held(value: pa.Array, column: Column) -> None:
    """Check a value as in rows of the column, for which the shown type alone is too wide."""
    try:
        assigned_array(pa.chunked_array([value]), column.type, column.name)
    except InvalidRows as error:
        raise InvalidInput(f"The default of column '{column.name}' cannot be stored: {error}") from None
