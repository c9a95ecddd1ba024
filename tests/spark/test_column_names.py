"""Columns that are called like something of ours, of Spark's or of a file's own."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.errors import InvalidName
from tests.spark.conftest import Lakehouse
from tests.spark.inside import rows

NAMES = [
    "_metadata",
    "_Metadata",
    "file_path",
    "row_index",
    "pos",
    "RowId",
    "snapshot_id",
    "FILENAME",
    "file_row_number",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_column_may_be_called_like_something_of_sparks(local: Lakehouse, name: str) -> None:
    local.lake.set_option("data_inlining_row_limit", 0)
    table = local.lake.create_table("t", {"id": "int", name: "bigint"})
    table.append([(at, at * 100) for at in range(5)])
    sql = local.session.sql
    assert sql("DELETE FROM lake.t WHERE id = 1").fetchall() == [(1,)]
    assert sql(f"UPDATE lake.t SET id = 9 WHERE {name} = 200").fetchall() == [(1,)]
    sql(
        f"MERGE INTO lake.t USING (SELECT 300 AS k) s ON t.{name} = s.k "
        f"WHEN MATCHED THEN UPDATE SET {name} = t.{name} + 1"
    )
    expected = [(0, 0), (3, 301), (4, 400), (9, 200)]
    assert rows(table) == expected
    assert sql(f"SELECT id, `{name.upper()}` FROM lake.t ORDER BY id").fetchall() == expected
    assert sql(f"SELECT * FROM lake.t WHERE {name} > 300 ORDER BY id").fetchall() == [(3, 301), (4, 400)]


@pytest.mark.parametrize("name", ["_tmp_metadata_row_index", "_TMP_Metadata_Row_Index"])
def test_a_column_that_spark_would_take_for_positions_is_refused(local: Lakehouse, name: str) -> None:
    with pytest.raises(InvalidName, match="row positions"):
        local.lake.create_table("t", {"id": "int", name: "bigint"})
    table = local.lake.create_table("t", {"id": "int"})
    for change in (f"ADD COLUMN `{name}` INT", f"RENAME COLUMN id TO `{name}`"):
        with pytest.raises(InvalidName, match="row positions"):
            local.session.sql(f"ALTER TABLE lake.t {change}")
    assert list(table.columns) == ["id"]


@pytest.mark.parametrize("name", ["_tmp_metadata_row_index", "_TMP_Metadata_Row_Index"])
@pytest.mark.parametrize("ignore_extra_columns", [False, True])
def test_a_file_with_a_column_that_spark_would_take_for_positions_is_not_added(
    local: Lakehouse, tmp_path: Path, name: str, ignore_extra_columns: bool
) -> None:
    path = str(tmp_path / "theirs.parquet")
    pq.write_table(pa.table({"id": pa.array([7], pa.int32()), name: [70]}), path)
    table = local.lake.create_table("t", {"id": "int"})
    with pytest.raises(InvalidName, match=r"theirs\.parquet.*positions of rows"):
        table.add_files([path], ignore_extra_columns=ignore_extra_columns)
    assert rows(table) == []


def test_a_field_of_a_struct_in_a_file_may_have_sparks_name_for_positions(local: Lakehouse, tmp_path: Path) -> None:
    path = str(tmp_path / "theirs.parquet")
    pq.write_table(pa.table({"id": pa.array([7, 8], pa.int32()), "s": [{"_tmp_metadata_row_index": 70}] * 2}), path)
    table = local.lake.create_table("t", {"id": "int"})
    table.add_files([path], ignore_extra_columns=True)
    assert local.session.sql("DELETE FROM lake.t WHERE id = 7").fetchall() == [(1,)]
    assert rows(table) == [(8,)]
