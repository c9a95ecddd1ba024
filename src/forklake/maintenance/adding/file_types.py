"""Types of columns in foreign files from which a column of a table can be read."""

from decimal import Decimal

from forklake.model.column_types import SIGNED, TIMESTAMPS, UNSIGNED, ColumnType
from forklake.model.entities import Column
from forklake.model.statistics import ColumnStats
from forklake.spark.tasks.statistics.file_fields import FileField

_WIDTHS = 4
"""The number of integer widths in Parquet, which does not include 128 bits."""
_CLOCKS = ("timestamp", "timestamp_ms", "timestamptz")
_TAKES: dict[str, tuple[str, ...]] = {
    **{
        name: (name, *(narrower for pair in zip(UNSIGNED[:at], SIGNED[:at], strict=True) for narrower in pair))
        for at, name in enumerate(SIGNED[:_WIDTHS])
    },
    **{name: (name, *UNSIGNED[:at]) for at, name in enumerate(UNSIGNED[:_WIDTHS])},
    "float64": ("float64", "float32"),
    "timestamp": (*_CLOCKS, "timestamp_ns"),
    "timestamp_s": _CLOCKS,
    "timestamp_ms": _CLOCKS,
    "timestamp_ns": (*_CLOCKS, "timestamp_ns"),
    "timestamptz": (*_CLOCKS, "timestamp_ns"),
    "int128": (),
    "uint128": (),
}
"""By type of the column, the types in files from which it can be read; all others only from their own."""
_NATIVE = {
    "int128": ColumnType("decimal", 38, 0),
    "uint128": ColumnType("decimal", 38, 0),
    "interval": ColumnType("varchar"),
    "timestamp_s": ColumnType("timestamp"),
}
"""What we write for types that Parquet does not have."""
_GEOPARQUET = (
    " Is this a GeoParquet v1.*.* file? Only GEOMETRY types stored in native Parquet format are supported,"
    " not GeoParquet (v1.*.*)."
)


def source_type(column: Column, field: FileField) -> ColumnType | None:
    """The type with which the column is read from a leaf of a file; None if it cannot be read."""
    wanted, found = column.type, field.type
    if wanted.name == "variant":
        return wanted if field.is_variant else None
    if found is None or found.name not in _TAKES.get(wanted.name, (wanted.name,)):
        return None
    if wanted.name == "decimal":
        return found if _has_fewer_digits(found, wanted) else None
    if wanted.name in TIMESTAMPS:
        return found if field.utc in (None, wanted.name == "timestamptz") else None
    # Spark has no intervals of months, days and milliseconds, and returns bytes.
    return ColumnType("blob") if wanted.name == "interval" else found


def digits_fit(column: Column, found: ColumnType, stats: ColumnStats) -> bool:
    """Whether the integer digits of decimals in a file fit the column, by their type or their bounds."""
    wanted = column.type
    if wanted.name != "decimal":
        return True
    room = (wanted.precision or 0) - (wanted.scale or 0)
    if (found.precision or 0) - (found.scale or 0) <= room or stats.value_count == 0:
        return True
    if stats.min_value is None or stats.max_value is None:
        return False
    return max(abs(Decimal(stats.min_value)), abs(Decimal(stats.max_value))) < Decimal(10) ** room


def mismatch_message(column: Column, field: FileField) -> str:
    """Why the column cannot be read from a field of a file, in DuckLake's wording."""
    wanted, found = column.type, field.type
    if wanted.name == "decimal" and found is not None and found.name == "decimal":
        return (
            f"Incompatible decimal precision/scale - found precision {found.precision}, scale {found.scale}"
            f" - but table is defined with precision {wanted.precision}, scale {wanted.scale}"
        )
    taken = _TAKES.get(wanted.name, (wanted.name,))
    if len(taken) > 1 and wanted.name not in TIMESTAMPS:
        return f"Expected one of {', '.join(ColumnType(name).sql() for name in taken)}, found type {field.shown}"
    hint = _GEOPARQUET if wanted.name == "geometry" else ""
    return f'Expected type "{wanted.sql()}" but found type "{field.shown}".{hint}'


def is_native(column: Column, field: FileField) -> bool:
    """Whether the field equals the column at every level: as we write it, with its name and id."""
    if field.field_id != column.column_id or (column.type.name == "variant" and not field.is_variant):
        return False
    if column.type.name == "variant":
        return True
    if field.type != (ColumnType(column.type.name) if column.children else _native_type(column.type)):
        return False
    if field.utc and column.type.name == "timestamp_ns":
        return False
    if column.type.name != "struct":
        return all(is_native(*pair) for pair in zip(column.children, field.children, strict=True))
    return are_native(column.children, field.children)


def are_native(columns: tuple[Column, ...], fields: tuple[FileField, ...]) -> bool:
    """Whether the fields are exactly these columns."""
    by_name = {field.name: field for field in fields}
    if len(by_name) != len(fields) or by_name.keys() != {column.name for column in columns}:
        return False
    return all(is_native(column, by_name[column.name]) for column in columns)


def _native_type(column_type: ColumnType) -> ColumnType:
    return _NATIVE.get(column_type.name, column_type)


def _has_fewer_digits(found: ColumnType, wanted: ColumnType) -> bool:
    return (found.precision or 0) <= (wanted.precision or 0) and (found.scale or 0) <= (wanted.scale or 0)
