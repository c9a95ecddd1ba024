"""Conditions on columns of every type: a scan that chooses files finds what one of all files does."""

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from functools import reduce
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from forklake.api.table import TableHandle
from forklake.catalog.planning.scan_planning import plan_scan
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.sql.queries.conditions import parse_condition
from tests.spark.conftest import Lakehouse
from tests.spark.metadata import catalog_of
from tests.spark.type_samples import FLAT, FLAT_ROWS, SAMPLES

TEMPLATES = (
    "{c} = {v}",
    "{c} <> {v}",
    "{c} < {v}",
    "{c} >= {v}",
    "NOT ({c} > {v})",
    "{c} IN ({v}, {other})",
    "{c} NOT IN ({v}, {other})",
    "{c} BETWEEN {other} AND {v}",
)


SPARK_WRITES = {"int8", "int64", "int128", "float32", "float64", "decimal(18,3)", "date", "timestamptz", "varchar"}


def _sql(value: Any) -> str:
    """A value as a literal of Spark's SQL."""
    match value:
        case bool() | int():
            return str(value)
        case Decimal():
            return f"{value:f}"
        case float():
            return f"double('{value}')"
        case datetime():
            return f"{'TIMESTAMP' if value.tzinfo else 'TIMESTAMP_NTZ'} '{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value}'"
        case bytes():
            return f"X'{value.hex()}'"
        case _:
            return "'" + str(value).replace("'", r"\'") + "'"


def _conditions(type_text: str, column: str) -> Iterator[str]:
    constants = [_sql(value) for value in SAMPLES[type_text]]
    for at, constant in enumerate(constants):
        for template in TEMPLATES:
            yield template.format(c=column, v=constant, other=constants[at - 1])
    yield f"{column} IS NULL"
    yield f"{column} IS NOT NULL"


@pytest.fixture(params=["pyarrow", "spark"])
def table(request: pytest.FixtureRequest, local: Lakehouse) -> TableHandle:
    """A table with a file for each row, whose statistics are the row's values."""
    by_spark = request.param == "spark"
    types = {name: text for name, text in FLAT.items() if not by_spark or text in SPARK_WRITES}
    made = local.lake.create_table("t", {"id": "int", **types})
    for at, row in enumerate(FLAT_ROWS):
        values = dict(zip(FLAT, row, strict=True))
        made.append([(at, *(values[name] for name in types))])
        if by_spark:
            made.overwrite(made.to_spark().where(F.col("id") == at), where=f"id = {at}")
    return made


def test_files_are_chosen_and_read_so_that_a_condition_finds_what_it_finds_in_all(
    local: Lakehouse, table: TableHandle
) -> None:
    conditions = [text for name, kind in FLAT.items() if name in table.columns for text in _conditions(kind, name)]
    marks = F.array(*(F.coalesce(F.expr(text), F.lit(False)) for text in conditions))
    matching: dict[str, set[int]] = {text: set() for text in conditions}
    for row in table.to_spark().select("id", marks.alias("marks")).collect():
        for text, is_true in zip(conditions, row.marks, strict=True):
            if is_true:
                matching[text].add(row.id)
    chosen = _chosen_files(local, conditions)
    assert [text for text in conditions if not matching[text] <= chosen[text]] == []
    assert sum(len(ids) for ids in chosen.values()) < 0.8 * len(conditions) * len(FLAT_ROWS)
    read = conditions[::29]
    parts = [table.scan(text, ["id"]).to_spark().select(F.lit(text), "id") for text in read]
    found = reduce(DataFrame.unionAll, parts).collect()
    assert {(row[0], row[1]) for row in found} == {(text, at) for text in read for at in matching[text]}


def _chosen_files(local: Lakehouse, conditions: list[str]) -> dict[str, set[int]]:
    """By condition, the ids of the rows whose files are read."""
    with catalog_of(local) as catalog:
        tx = begin(catalog)
        table = get_table(tx, "main", "t")
        order = sorted(file.data.data_file_id for file in plan_scan(tx, table).files)
        return {
            text: {order.index(file.data.data_file_id) for file in plan_scan(tx, table, found.predicate).files}
            for text in conditions
            for found in [parse_condition(text, table)]
        }
