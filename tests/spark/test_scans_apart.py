"""A large table of which some files have deletes: these are read apart from the others, and the rows are the same."""

import re

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from forklake.api.table import TableHandle
from tests.spark.conftest import Lakehouse
from tests.spark.inside import head
from tests.spark.test_plans import file_scans, plan_of

UNTOUCHED = 1_000_000
"""Enough to be read apart."""
TOUCHED = 600_000
"""More than a quarter of the rows."""
GROUP = 100_000
ROWS = UNTOUCHED + TOUCHED
EDGES = {UNTOUCHED, UNTOUCHED + GROUP - 1, UNTOUCHED + GROUP, ROWS - 1}
"""The ids of the first and last row of the file with deletes, and of two rows on both sides of a row group's end."""
_UNIONS = "spark.sql.codegen.wholeStage.union.enabled"


@pytest.fixture
def table(local: Lakehouse) -> TableHandle:
    """Two files; the second has several row groups."""
    made = local.lake.create_table("t", {"id": "bigint", "v": "int"})
    made.append(numbers(local, 0, UNTOUCHED))
    local.lake.set_option("parquet_row_group_size", GROUP, table="t")
    made.append(numbers(local, UNTOUCHED, ROWS))
    return made


def numbers(local: Lakehouse, start: int, end: int) -> DataFrame:
    return local.spark.range(start, end, 1, 1).selectExpr("id", "CAST(id % 1000 AS INT) AS v")


def totals(frame: DataFrame) -> tuple[int, ...]:
    [row] = frame.agg(F.count("*"), F.sum("id"), F.min("id"), F.max("id")).collect()
    return tuple(row)


def expected(deleted: set[int]) -> tuple[int, ...]:
    left = set(range(ROWS)) - deleted
    return len(left), sum(left), min(left), max(left)


def bitmaps(frame: DataFrame) -> int:
    return len(re.findall(r"^Condition *:.*shiftright", plan_of(frame), re.MULTILINE))


def test_files_without_deletes_are_read_apart_where_spark_compiles_unions(local: Lakehouse, table: TableHandle) -> None:
    before = head(local.lake)
    table.delete(f"id IN ({', '.join(map(str, EDGES))})")
    try:
        for is_on, scans in (("true", 2), ("false", 1)):
            local.spark.conf.set(_UNIONS, is_on)
            frame = table.to_spark()
            assert len(file_scans(frame)) == scans
            assert bitmaps(frame) == 1
            assert totals(frame) == expected(EDGES)
            assert totals(table.to_spark(before)) == expected(set())
    finally:
        local.spark.conf.unset(_UNIONS)


def test_rows_read_apart_keep_their_ids_and_can_be_changed_again(local: Lakehouse, table: TableHandle) -> None:
    table.delete(f"id IN ({', '.join(map(str, EDGES))})")
    near = f"id BETWEEN {UNTOUCHED - 2} AND {UNTOUCHED + 2} OR id > {ROWS - 3}"
    found = table.scan(columns=["id", "rowid", "file_row_number"], where=near).fetchall()
    ids = [UNTOUCHED - 2, UNTOUCHED - 1, UNTOUCHED + 1, UNTOUCHED + 2, ROWS - 2]
    assert sorted(found) == [(n, n, n if n < UNTOUCHED else n - UNTOUCHED) for n in ids]
    assert table.update({"v": "-1"}, where=near) == len(ids)
    assert table.delete(f"id = {UNTOUCHED + 1}") == 1
    assert sorted(row.id for row in table.to_spark().where("v = -1").collect()) == [n for n in ids if n != ids[2]]


def test_a_fork_deletes_a_whole_file_and_evolves_alone(local: Lakehouse, table: TableHandle) -> None:
    table.delete(f"id IN ({', '.join(map(str, EDGES))})")
    fork = local.lake.fork("other").table("t")
    fork.delete(f"id >= {UNTOUCHED} AND v <> 7")
    fork.rename_column("v", "w")
    fork.add_column("x", "int", default=5)
    gone = {n for n in range(UNTOUCHED, ROWS) if n % 1000 != 7} | EDGES
    assert totals(fork.to_spark()) == expected(gone)
    assert totals(fork.to_spark().where("w = 7 AND x = 5"))[0] == sum(n % 1000 == 7 for n in range(ROWS))
    fork.delete(f"id >= {UNTOUCHED}")
    assert totals(fork.to_spark()) == expected(set(range(UNTOUCHED, ROWS)))
    assert totals(table.to_spark()) == expected(EDGES)
    assert set(table.columns) == {"id", "v"}
