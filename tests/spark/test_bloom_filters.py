"""Bloom filters that Spark has written, evaluated by us."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from pyspark.sql import SparkSession

from forklake.model.column_types import parse_type
from forklake.model.entities import Column
from forklake.model.ids import ColumnId, SnapshotId
from forklake.model.predicates import Comparison
from forklake.model.pruning import PrunableColumn, file_filter
from forklake.spark.reading import bloom_filters
from forklake.spark.reading.row_groups import row_groups_that_may_match

COLUMNS: dict[str, tuple[str, Callable[[int], object]]] = {
    "id AS long": ("int64", lambda at: at),
    "CAST(id - 50 AS INT) AS int": ("int32", lambda at: at - 50),
    "CAST(id - 50 AS TINYINT) AS byte": ("int8", lambda at: at - 50),
    "concat('key ', id) AS text": ("varchar", lambda at: f"key {at}"),
    "CAST(concat('key ', id) AS BINARY) AS bytes": ("blob", lambda at: f"key {at}".encode()),
    "date_add(DATE '1969-12-01', CAST(id AS INT)) AS day": (
        "date",
        lambda at: date(1969, 12, 1) + timedelta(days=at),
    ),
    "TIMESTAMP_NTZ '1969-12-31 23:59:59.5' + make_dt_interval(id) AS moment": (
        "timestamp",
        lambda at: datetime(1969, 12, 31, 23, 59, 59, 500_000) + timedelta(days=at),
    ),
    "CAST(id - 50 AS DECIMAL(9, 2)) AS nine": ("decimal(9,2)", lambda at: Decimal(at - 50)),
    "CAST(id - 50 AS DECIMAL(18, 3)) AS many": ("decimal(18,3)", lambda at: Decimal(at - 50)),
    "CAST(id - 50 AS DECIMAL(38, 10)) AS most": ("decimal(38,10)", lambda at: Decimal(at - 50)),
}


@pytest.mark.parametrize("expression", COLUMNS)
def test_filters_of_spark_exclude_what_it_has_not_written(
    spark: SparkSession, expression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bloom_filters, "_LEAST_SAVING", 0)
    monkeypatch.setattr(bloom_filters, "_LEAST_RATIO", 0)
    (type_text, value), name = COLUMNS[expression], expression.split()[-1]
    # Spark writes no filter beside a dictionary of all values.
    options = {
        f"parquet.bloom.filter.enabled#{name}": "true",
        f"parquet.bloom.filter.expected.ndv#{name}": "1000",
        "parquet.enable.dictionary": "false",
    }
    spark.range(0, 100, 2, 1).selectExpr(expression).write.options(**options).parquet(str(tmp_path / "t"))
    [path] = (tmp_path / "t").glob("*.parquet")
    column = Column(ColumnId(1), name, parse_type(type_text))

    def groups(at: int) -> list[int]:
        predicate = Comparison((name,), "=", value(at))
        wanted = file_filter(predicate, {(name,): PrunableColumn(column.column_id, column.type)})
        with fs.LocalFileSystem().open_input_file(str(path)) as source:
            return row_groups_that_may_match(source, pq.read_metadata(source), wanted, [column], SnapshotId(1))

    assert [groups(at) for at in range(0, 100, 2)] == [[0]] * 50
    assert [groups(at) for at in range(1, 100, 2)].count([]) > 40
