"""JSON files that can be written and read back without changes.

By default, Spark keeps only milliseconds, reads NaN and times as text, and takes fields of structs for NULL whose names
are spelled in another way than in the schema.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.errors import InvalidRows, InvalidType
from forklake.model.entities import Column
from forklake.model.names import fold
from forklake.spark.session.job_settings import spark_settings
from forklake.spark.values.quoting import column_named
from forklake.spark.values.text_file_checks import check_json
from forklake.spark.values.type_mapping import shown_type

_COMPRESSED = {".gz", ".bz2", ".zst"}


def json_write_options(given: Mapping[str, str]) -> dict[str, str]:
    """Options for Spark's writer, with NULLs, microseconds and UTC; the given ones take precedence."""
    options = {
        "ignoreNullFields": "false",
        "timeZone": "UTC",
        "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
        "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    }
    return {**options, **given}


def check_json_writable(schema: st.StructType) -> None:
    """Raises InvalidType for columns that could not be read back."""
    for field in schema.fields:
        _check_writable(field.dataType, field.name)


def _check_writable(kind: st.DataType, name: str) -> None:
    match kind:
        case st.StructType():
            names = [fold(field.name) for field in kind.fields]
            if len(set(names)) < len(names):
                raise InvalidType(f"Two fields of {name} have one name, case aside: JSON would not be read back.")
            for field in kind.fields:
                _check_writable(field.dataType, f"{name}.{field.name}")
        case st.ArrayType():
            _check_writable(kind.elementType, f"{name}.element")
        case st.MapType():
            _check_text_keys(kind, name)
            _check_writable(kind.valueType, f"{name}.value")


def _check_text_keys(kind: st.MapType, name: str) -> None:
    if not isinstance(kind.keyType, st.StringType):
        raise InvalidType(
            f"The keys of the map {name} are {kind.keyType.simpleString().upper()}, and JSON has texts as keys only; "
            "cast them to text, or use Parquet."
        )


def read_json(
    spark: SparkSession, paths: Sequence[str], columns: Sequence[Column] | None, given: Mapping[str, str]
) -> DataFrame:
    """JSON files, with one object per line or a single array; values of the table's columns if given."""
    whole = any(_is_array(path) for path in paths)
    check_json(spark, paths, whole=whole)
    options = {"mode": "FAILFAST", "multiLine": str(whole).lower(), **given}
    if columns is None:
        return spark.read.options(**options).json(list(paths))
    # Fields of two spellings are refused below; keys of maps may well differ in nothing but their case.
    with spark_settings(spark, {"spark.sql.caseSensitive": "true"}):
        found = spark.read.options(**options, primitivesAsString="true").json(list(paths)).schema
    schema = json_schema(found, columns)
    for column in _empty_columns(spark, paths, schema, columns, options):
        schema = schema.add(column.name, shown_type(column.type))
    return spark.read.options(**options).schema(schema).json(list(paths))


def _empty_columns(
    spark: SparkSession,
    paths: Sequence[str],
    schema: st.StructType,
    columns: Sequence[Column],
    options: Mapping[str, str],
) -> list[Column]:
    """The columns that are `{}` in all records, which Spark leaves out of the schema that it infers."""
    known = {fold(name) for name in schema.names}
    absent = [column for column in columns if column.type.name in ("struct", "map") and fold(column.name) not in known]
    if not absent:
        return []
    texts = st.StructType([st.StructField(column.name, st.StringType()) for column in absent])
    rows = spark.read.options(**options).schema(texts).json(list(paths))
    [counts] = rows.select(*(F.count(column_named(column.name)) for column in absent)).collect()
    return [column for column, count in zip(absent, counts, strict=True) if count]


def _is_array(path: str) -> bool:
    """Whether a local uncompressed file is a JSON array, which may span several lines."""
    file = Path(path)
    if not file.is_file() or file.suffix in _COMPRESSED:
        return False
    with file.open(encoding="utf-8-sig", errors="replace") as opened:
        return opened.read(100).lstrip().startswith("[")


def json_schema(found: st.StructType, columns: Sequence[Column]) -> st.StructType:
    """The table columns found in a JSON file, with the table's types: otherwise Spark reads NaN and times as text.

    Names are as the file spells them. Raises InvalidRows if the file has others, or one in two spellings.
    """
    known = {fold(column.name): column for column in columns}
    _check_spellings(found, "")
    schema = st.StructType()
    for field in found.fields:
        column = known.get(fold(field.name))
        if column is None:
            raise InvalidRows(f"The file has a field '{field.name}' that is not a column of the table.")
        schema = schema.add(field.name, _spelled(field.dataType, shown_type(column.type), column.name))
    return schema


def _spelled(found: st.DataType, kind: st.DataType, name: str) -> st.DataType:
    """The type, with the names of fields as the file spells them; fields that would be dropped are refused."""
    match found, kind:
        case st.StructType(), st.StructType():
            return _spelled_struct(found, kind, name)
        case st.StructType(), st.MapType():
            return _spelled_map(found, kind, name)
        case st.ArrayType(), st.ArrayType():
            return st.ArrayType(_spelled(found.elementType, kind.elementType, f"{name}.element"))
    return kind


def _spelled_struct(found: st.StructType, kind: st.StructType, name: str) -> st.StructType:
    _check_spellings(found, f"{name}.")
    known = {fold(field.name): field for field in kind.fields}
    given: dict[str, st.StructField] = {}
    for field in found.fields:
        own = known.get(fold(field.name))
        if own is None:
            raise InvalidRows(f"Column {name} has no field '{field.name}'.")
        given[fold(field.name)] = st.StructField(
            field.name, _spelled(field.dataType, own.dataType, f"{name}.{own.name}")
        )
    return st.StructType([given.get(fold(field.name), field) for field in kind.fields])


def _spelled_map(found: st.StructType, kind: st.MapType, name: str) -> st.MapType:
    """A map, which Spark takes for a struct with a field for every key of any record."""
    _check_text_keys(kind, name)
    values = [_spelled(field.dataType, kind.valueType, f"{name}.value") for field in found.fields]
    if any(value != values[0] for value in values):
        raise InvalidRows(f"The values of the map {name} have fields in two spellings.")
    return st.MapType(kind.keyType, values[0] if values else kind.valueType)


def _check_spellings(found: st.StructType, parent: str) -> None:
    names: dict[str, str] = {}
    for field in found.fields:
        other = names.setdefault(fold(field.name), field.name)
        if other != field.name:
            raise InvalidRows(f"The file has the field {parent}{field.name} in two spellings, also as '{other}'.")
