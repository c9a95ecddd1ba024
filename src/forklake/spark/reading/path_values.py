"""Values that a whole file has: the same for all rows of one file, and often the same for all files."""

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
from forklake.spark.tasks.types.promote import promoted
from forklake.spark.values.type_mapping import shown_type

V = TypeVar("V")
Numbered = Sequence[tuple[int, ScanFile]]


def path_values(now: Column, then: PathColumn, files: Numbered, number: Callable[[], Expression]) -> Expression:
    """The value that the paths of the files give a column."""
    texts = [hive_value(hive_values(file.data.path).get(fold(then.key)), then.column.type) for _, file in files]
    distinct = list(dict.fromkeys(texts))
    given = pa.concat_arrays([pa.repeat(literal(text, then.column), 1) for text in distinct])
    values = promoted(given, then.column, now)
    if now.type.name == "blob":
        hexed = [None if value is None else value.hex() for value in values.to_pylist()]
        return F.unhex(value_per_file(files, number, _value_per_text(texts, distinct, hexed), st.StringType()))
    # As text, which Spark reads without regard to the session's zone: every moment has its own with it, or none.
    shown = values.cast(pa.string()).to_pylist()
    return value_per_file(files, number, _value_per_text(texts, distinct, shown), shown_type(now.type))


def value_per_file(
    files: Numbered, number: Callable[[], Expression], values: Sequence[str | None], data_type: st.DataType
) -> Expression:
    """A value that each file has: the same for all of them, or looked up by the file's number in one constant."""
    if len(set(values)) == 1:
        return F.lit(values[0]).cast(data_type)
    lowest, places = _values_by_number(files, values)
    # As one text, which is made an array once: an array of literals takes a call to the JVM for each.
    array = F.from_json(F.lit(json.dumps(places)), "array<string>").cast(st.ArrayType(data_type))
    return F.get(array, (number() - lowest).cast("int"))


def number_per_file(files: Numbered, number: str, values: Sequence[int | None]) -> str:
    """The same for whole numbers, in SQL."""
    if len(set(values)) == 1:
        return f"CAST({'NULL' if values[0] is None else values[0]} AS BIGINT)"
    lowest, places = _values_by_number(files, values)
    return f"get(from_json('{json.dumps(places)}', 'array<bigint>'), CAST({number} - {lowest} AS INT))"


def _values_by_number(files: Numbered, values: Sequence[V | None]) -> tuple[int, list[V | None]]:
    """The lowest number of a file, and from there on the value of each."""
    lowest = min(at for at, _ in files)
    places: list[V | None] = [None] * (max(at for at, _ in files) - lowest + 1)
    for (at, _), value in zip(files, values, strict=True):
        places[at - lowest] = value
    return lowest, places


def _value_per_text(
    texts: Sequence[str | None], distinct: Sequence[str | None], shown: Sequence[str | None]
) -> list[str | None]:
    """What is shown for each of the texts, given what is shown for the distinct ones."""
    by_text = dict(zip(distinct, shown, strict=True))
    return [by_text[text] for text in texts]
