"""Variants: values of any shape, kept in the form that Spark has for them."""

import json
from typing import Any

import pytest

from forklake.api.table import TableHandle
from tests.spark.conftest import Lakehouse

VALUES = [{"a": [1, 2.5, None], "b": {"c": "ü"}}, [1, "x"], "text", 7, True, None]
"""As JSON; the last stands for no value at all."""


def _seen(table: TableHandle, column: str = "v") -> dict[int, Any]:
    rows = table.to_spark().selectExpr("id", f"to_json({column}) AS text").collect()
    return {row.id: None if row.text is None else json.loads(row.text) for row in rows}


def _frame(lakehouse: Lakehouse) -> Any:
    texts = [(at, None if value is None else json.dumps(value)) for at, value in enumerate(VALUES)]
    return lakehouse.spark.createDataFrame(texts, "id int, text string").selectExpr("id", "parse_json(text) AS v")


@pytest.mark.parametrize("source", ["rows", "frame", "arrow"])
@pytest.mark.parametrize("keys", [[], ["id"]], ids=["plain", "partitioned"])
def test_variants_come_back_as_they_were_written(local: Lakehouse, source: str, keys: list[str]) -> None:
    table = local.lake.create_table("t", {"id": "int", "v": "variant"}, partitioned_by=keys)
    if source == "rows":
        table.append(list(enumerate(VALUES)))
    else:
        table.append(_frame(local))
    if source == "arrow":
        rows = table.to_arrow()
        table.truncate()
        table.append(rows)
    assert _seen(table) == dict(enumerate(VALUES))


def test_variants_inside_of_other_types_come_back_as_they_were_written(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int", "l": "struct(v variant)[]", "m": "map(varchar, variant)"})
    rows = [(1, [{"v": {"a": 1}}, {"v": None}, None], {"k": [1], "n": None}), (2, [], {}), (3, None, None)]
    table.append(rows)
    table.append(table.to_arrow())
    assert table.count() == 6
    assert _seen(table, "l") == {1: [{"v": {"a": 1}}, {}, None], 2: [], 3: None}
    assert _seen(table, "m") == {1: {"k": [1], "n": None}, 2: {}, 3: None}


def test_an_update_of_another_column_leaves_variants_alone(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int", "v": "variant"})
    table.append(_frame(local))
    assert table.update({"id": "id + 10"}) == len(VALUES)
    assert _seen(table) == {at + 10: value for at, value in enumerate(VALUES)}


def test_variants_can_be_set_deleted_and_merged_by_what_is_in_them(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int", "v": "variant"})
    table.append([(1, {"n": 1}), (2, {"n": 2}), (3, {"n": 3})])
    table.update({"v": "parse_json('[9]')"}, where="variant_get(v, '$.n', 'int') = 1")
    table.delete("variant_get(v, '$.n', 'int') = 2")
    source = local.spark.sql("SELECT id, parse_json(v) AS v FROM VALUES (3, '33'), (4, '44') AS s(id, v)")
    table.merge(source, ["id"])
    assert _seen(table) == {1: [9], 3: 33, 4: 44}


def test_a_table_is_made_of_variants(local: Lakehouse) -> None:
    made = local.lake.create_table_as("t", _frame(local))
    again = local.lake.create_table_as("u", made.to_arrow())
    assert made.columns == again.columns == {"id": "INTEGER", "v": "VARIANT"}
    assert _seen(again) == dict(enumerate(VALUES))


def test_variants_stay_out_of_the_metadata_database(local: Lakehouse) -> None:
    local.lake.set_option("data_inlining_row_limit", 100)
    table = local.lake.create_table("t", {"id": "int", "v": "variant"})
    table.append([(1, {"a": 1})])
    table.update({"id": "2"})
    assert table.to_spark(columns=["filename"]).where("filename IS NULL").count() == 0
    assert _seen(table) == {2: {"a": 1}}
