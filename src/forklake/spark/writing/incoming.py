"""Incoming rows: matched to the columns of a table, cast without loss, and checked.

The result has the table's columns in order and in their shown types, as a DataFrame or, if the rows are already on the
driver, as an Arrow table.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import pyarrow as pa
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as st

from forklake.errors import InvalidInput, InvalidRows
from forklake.model.assignment import check_assignable
from forklake.model.entities import Column, Table
from forklake.model.names import did_you_mean, fold
from forklake.spark.session.expression_text import user_expression
from forklake.spark.tasks.types.arrow_types import shown_schema, shown_type
from forklake.spark.tasks.types.default_literals import literal as arrow_literal
from forklake.spark.values.arrow_type import type_in_arrow
from forklake.spark.values.assign_array import KEPT_TYPES, assigned_array
from forklake.spark.values.assign_expression import assignment_cast
from forklake.spark.values.conversions import default_literal
from forklake.spark.values.float_range import check_large_floats, refuse_large_floats
from forklake.spark.values.literal_rows import literal_rows
from forklake.spark.values.quoting import column_named, quoted_name, select_columns
from forklake.spark.values.type_mapping import shown_type as shown_in_spark
from forklake.spark.values.type_mapping import type_in_spark

Matching = Literal["name", "position"]
Rows: TypeAlias = DataFrame | pa.Table


def make_repeatable(data: Any) -> Any:
    """The data, if it can be read repeatedly; Arrow streams and iterators are converted to a table or list."""
    if isinstance(data, DataFrame | pa.Table) or _is_pandas(data):
        return data
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data)
    return list(data) if isinstance(data, Iterator) else data


def as_rows(data: Any, columns: Sequence[Column] | None = None, zone: str = "UTC") -> Rows:
    """A DataFrame unchanged; Arrow, pandas and literal rows as an Arrow table.

    Literal rows are a list or iterator of dictionaries or tuples; with `columns`, tuples are named by them and values
    take their types. Timestamps without time zone are in that of the session.
    """
    data = make_repeatable(data)
    if isinstance(data, DataFrame | pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if _is_pandas(data):
        return _from_pandas(data)
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return literal_rows(data, columns, zone)
    raise InvalidInput(
        f"Rows cannot be taken from {type(data).__name__}; give a DataFrame, an Arrow table, pandas, or a list of rows."
    )


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas"


def _from_pandas(data: Any) -> pa.Table:
    try:
        return pa.Table.from_pandas(data, preserve_index=False)
    except (pa.ArrowException, ValueError, TypeError, AttributeError) as error:
        raise InvalidRows(f"The rows of pandas cannot be read: {error}") from None


def fit_rows(
    rows: Rows, table: Table, matching: Matching = "name", zone: str = "UTC", *, refuses_large_floats: bool = False
) -> Rows:
    """The rows as rows of the table, with defaults for missing columns; raises InvalidRows if that is impossible."""
    sources = _match_columns(rows.schema.names, table, matching)
    if isinstance(rows, DataFrame):
        return _fit_frame(rows, sources, table, refuses_large_floats=refuses_large_floats)
    return _fit_arrow(rows, sources, table, zone, refuses_large_floats=refuses_large_floats)


def fit_value(
    value: Expression,
    data_type: st.DataType,
    column: Column,
    table: Table,
    *,
    refuses_large_floats: bool = False,
    leaves_uuids: bool = False,
) -> Expression:
    """A value of this type as a value of the column, checked against its constraints; uuids only if not left."""
    source = type_in_spark(data_type)
    check_assignable(source, column.type, column.name)
    fitted = assignment_cast(value, source, column.type, column.name, leaves_uuids=leaves_uuids)
    if refuses_large_floats:
        fitted = refuse_large_floats(fitted, value, source, column.type, column.name)
    return _check_not_null(fitted, column, table)


def default_value(column: Column, table: Table) -> Expression:
    """The value of a column if none is given."""
    return _check_not_null(_default_expression(column), column, table)


def needs_spark(rows: Rows, table: Table, matching: Matching = "name") -> bool:
    """Whether only Spark can fit the rows: they are a DataFrame, or a default or type must be evaluated."""
    if isinstance(rows, DataFrame):
        return True
    sources = _match_columns(rows.schema.names, table, matching)
    missing = [column for column in table.definition.columns if fold(column.name) not in sources]
    computed = any(column.default_value_type == "expression" for column in missing)
    return computed or any(field.type.name == "variant" for field in table.definition.fields())


def _match_columns(names: Sequence[str], table: Table, matching: Matching) -> dict[str, int]:
    """The positions of the given columns, by folded name of the table's column."""
    columns = table.definition.columns
    if matching == "position":
        if len(names) != len(columns):
            raise InvalidRows(f"table {table.name} has {len(columns)} columns but {len(names)} values were supplied")
        return {fold(column.name): at for at, column in enumerate(columns)}
    known = {fold(column.name) for column in columns}
    found: dict[str, int] = {}
    for at, name in enumerate(names):
        if fold(name) not in known:
            hint = did_you_mean(name, [column.name for column in columns])
            raise InvalidRows(f"Table '{table.name}' has no column '{name}'.{hint}")
        if fold(name) in found:
            raise InvalidRows(f"The rows have two columns named '{name}' (names are case-insensitive).")
        found[fold(name)] = at
    return found


def _fit_frame(frame: DataFrame, sources: Mapping[str, int], table: Table, *, refuses_large_floats: bool) -> DataFrame:
    fields = frame.schema.fields
    if _needs_no_fitting(fields, table):
        return frame
    # Names in a DataFrame need not be unique if matched by position.
    given = frame.toDF(*(f"c{at}" for at in range(len(fields))))
    fitted: list[Expression | str] = []
    for column in table.definition.columns:
        at = sources.get(fold(column.name))
        if at is None:
            fitted.append(default_value(column, table).alias(column.name))
        elif _fits_as_is(fields[at].dataType, column):
            fitted.append(f"c{at} AS {quoted_name(column.name)}")
        else:
            value = fit_value(
                column_named(f"c{at}"),
                fields[at].dataType,
                column,
                table,
                refuses_large_floats=refuses_large_floats,
                # Only PyArrow writes uuids, and turns them into bytes much faster than Spark matches a pattern.
                leaves_uuids=True,
            )
            fitted.append(value.alias(column.name))
    return select_columns(given, fitted)


def _needs_no_fitting(fields: Sequence[st.StructField], table: Table) -> bool:
    """Whether these are already the columns of the table, as for a table created from a query."""
    columns = table.definition.columns
    return len(fields) == len(columns) and all(
        field.name == column.name and _fits_as_is(field.dataType, column)
        for field, column in zip(fields, columns, strict=True)
    )


def _fits_as_is(data_type: st.DataType, column: Column) -> bool:
    """Whether every value of the type is valid for the column without conversion."""
    is_same = type_in_spark(data_type) == column.type and not isinstance(data_type, st.TimeType)
    return is_same and column.nulls_allowed and not column.children


def _default_expression(column: Column) -> Expression:
    shown = shown_in_spark(column.type)
    if column.default_value is None:
        return F.lit(None).cast(shown)
    if column.default_value_type == "expression":
        return user_expression(column.default_value).cast(shown)
    return default_literal(column.default_value, column)


def _check_not_null(value: Expression, column: Column, table: Table) -> Expression:
    if column.nulls_allowed:
        return value
    refused = F.raise_error(F.lit(_null_message(table, column))).cast(shown_in_spark(column.type))
    return F.coalesce(value, refused)


def _fit_arrow(
    given: pa.Table, sources: Mapping[str, int], table: Table, zone: str, *, refuses_large_floats: bool
) -> pa.Table:
    shown = shown_schema(table.definition.columns)
    if given.schema.equals(shown, check_metadata=True) and _is_kept(given, table):
        return given
    fitted = []
    # Arrow creates this list anew on each access.
    types = given.schema.types
    for column in table.definition.columns:
        at = sources.get(fold(column.name))
        if at is None:
            value = arrow_literal(column.default_value, column)
            array = pa.chunked_array([pa.repeat(value, given.num_rows)], shown_type(column.type))
        else:
            source = type_in_arrow(types[at])
            check_assignable(source, column.type, column.name)
            if refuses_large_floats:
                check_large_floats(given.column(at), source, column.type, column.name)
            array = assigned_array(given.column(at), column.type, column.name, zone)
        if not column.nulls_allowed and array.null_count:
            raise InvalidRows(_null_message(table, column))
        fitted.append(array)
    return pa.table(fitted, schema=shown)


def _is_kept(given: pa.Table, table: Table) -> bool:
    """Whether rows in the shown types of the table need neither a cast nor a check, as most literals."""
    return all(
        column.type.name in KEPT_TYPES and (column.nulls_allowed or not array.null_count)
        for column, array in zip(table.definition.columns, given.columns, strict=True)
    )


def _null_message(table: Table, column: Column) -> str:
    return f"NOT NULL constraint failed: {table.name}.{column.name}"
