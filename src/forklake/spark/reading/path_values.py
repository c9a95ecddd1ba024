"""Per-file values: constant within a file, and often the same for all files."""

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

import pyarrow as pa
from pyspark.sql import Column as Expression
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.model.entities import Column
from forklake.model.files import ScanFile
from forklake.model.hive_paths import hive_value, hive_values
from forklake.model.names import fold
from forklake.spark.reading.file_groups import PathColumn
from forklake.spark.tasks.types.default_literals import literal
from forklake.spark.tasks.types.promote import promote_array
from forklake.spark.values.type_mapping import shown_type

V = TypeVar("V")
Numbered = Sequence[tuple[int, ScanFile]]


def path_values(now: Column, then: PathColumn, files: Numbered, number: Callable[[], Expression]) -> Expression:
    """The values of a column from the paths of the files."""
    texts = [hive_value(hive_values(file.data.path).get(fold(then.key)), then.column.type) for _, file in files]
    distinct = list(dict.fromkeys(texts))
    given = pa.concat_arrays([pa.repeat(literal(text, then.column), 1) for text in distinct])
    values = promote_array(given, then.column, now)
    if now.type.name == "blob":
        hexed = [None if value is None else value.hex() for value in values.to_pylist()]
        return F.unhex(value_per_file(files, number, _value_per_text(texts, distinct, hexed), st.StringType()))
    # As text, which Spark parses independently of the session time zone: timestamps include a time zone, or have none.
    shown = values.cast(pa.string()).to_pylist()
    return value_per_file(files, number, _value_per_text(texts, distinct, shown), shown_type(now.type))


def value_per_file(
    files: Numbered, number: Callable[[], Expression], values: Sequence[str | None], data_type: st.DataType
) -> Expression:
    """A value per file: a constant if all are equal, else looked up by file number in a constant array."""
    if len(set(values)) == 1:
        return F.lit(values[0]).cast(data_type)
    lowest, places = _values_by_number(files, values)
    # Parsed from a single text, because an array of literals takes a JVM call per element.
    array = F.from_json(F.lit(json.dumps(places)), "array<string>").cast(st.ArrayType(data_type))
    return F.get(array, (number() - lowest).cast("int"))


def number_per_file(files: Numbered, number: str, values: Sequence[int | None]) -> str:
    """The same for integers, as SQL."""
    if len(set(values)) == 1:
        return f"CAST({'NULL' if values[0] is None else values[0]} AS BIGINT)"
    lowest, places = _values_by_number(files, values)
    return f"get(from_json('{json.dumps(places)}', 'array<bigint>'), CAST({number} - {lowest} AS INT))"


def _values_by_number(files: Numbered, values: Sequence[V | None]) -> tuple[int, list[V | None]]:
    """The lowest file number, and the values of all files from there on."""
    lowest = min(at for at, _ in files)
    places: list[V | None] = [None] * (max(at for at, _ in files) - lowest + 1)
    for (at, _), value in zip(files, values, strict=True):
        places[at - lowest] = value
    return lowest, places


def _value_per_text(
    texts: Sequence[str | None], distinct: Sequence[str | None], shown: Sequence[str | None]
) -> list[str | None]:
    """The shown values for all texts, given those for the distinct ones."""
    by_text = dict(zip(distinct, shown, strict=True))
    return [by_text[text] for text in texts]
