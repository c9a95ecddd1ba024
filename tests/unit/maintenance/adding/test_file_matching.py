"""The columns of a file are found by name, and what is found says how to read them."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.errors import InvalidInput
from forklake.maintenance.adding.file_matching import STRICT, MatchedColumns, MatchingRules, match_columns
from forklake.model.ids import ColumnId
from forklake.model.mappings import check_mapping, foreign_mapping
from forklake.spark.tasks.statistics.file_fields import file_fields
from forklake.spark.tasks.types.arrow_types import physical_schema
from tests.unit.maintenance.adding.test_file_types import table_of

TABLE = table_of(
    ("id", "bigint"),
    ("s", "struct(a int, b struct(c varchar))"),
    ("l", "struct(x double)[]"),
    ("m", "map(varchar, bigint)"),
)


def matched(
    tmp_path: Path, rows: pa.Table, rules: MatchingRules = STRICT, elsewhere: tuple[ColumnId, ...] = ()
) -> MatchedColumns:
    pq.write_table(rows, tmp_path / "f.parquet")
    return match_columns(TABLE, file_fields(pq.read_metadata(tmp_path / "f.parquet")), "f.parquet", rules, elsewhere)


def everything(**changed: pa.Array) -> pa.Table:
    columns = {
        "M": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())),
        "L": pa.array([[{"X": 1.5}]], pa.list_(pa.struct({"X": pa.float32()}))),
        "S": pa.array([{"B": {"C": "c"}, "A": 1}], pa.struct({"B": pa.struct({"C": pa.string()}), "A": pa.int8()})),
        "ID": pa.array([1]),
    }
    return pa.table(columns | changed)


def test_names_are_found_at_every_level_and_become_a_mapping(tmp_path: Path) -> None:
    found = matched(tmp_path, everything())
    assert not found.native
    assert found.missing == ()
    # By leaf of the table: id, s.a, s.b.c, l.x, m.key, m.value.
    assert found.places == {1: [5], 3: [4], 5: [3], 8: [2], 10: [0], 11: [1]}
    mapping = foreign_mapping(found.columns)
    check_mapping(mapping, {column.column_id for column in TABLE.definition.fields()})
    assert [(c.source_name, c.target_field_id, c.parent, c.source_type) for c in mapping.columns] == [
        ("ID", 1, None, "BIGINT"),
        ("S", 2, None, "STRUCT(A TINYINT, B STRUCT(C VARCHAR))"),
        ("A", 3, 1, "TINYINT"),
        ("B", 4, 1, "STRUCT(C VARCHAR)"),
        ("C", 5, 3, "VARCHAR"),
        ("L", 6, None, "STRUCT(X FLOAT)[]"),
        ("list", 7, 5, "STRUCT(X FLOAT)"),
        ("X", 8, 6, "FLOAT"),
        ("M", 9, None, "MAP(VARCHAR, INTEGER)"),
        ("key", 10, 8, "VARCHAR"),
        ("value", 11, 8, "INTEGER"),
    ]


def test_what_is_missing_is_told_unless_it_is_in_a_list(tmp_path: Path) -> None:
    rows = everything(
        S=pa.array([{"B": None, "A": 1}], pa.struct({"B": pa.struct({"C": pa.string()}), "A": pa.int8()}))
    ).drop_columns(["M"])
    found = matched(tmp_path, rows, MatchingRules(allow_missing=True))
    assert [column.name for column in found.missing] == ["m"]
    fewer = rows.drop_columns(["S"]).append_column("s", pa.array([{"A": 1}], pa.struct({"A": pa.int8()})))
    found = matched(tmp_path, fewer, MatchingRules(allow_missing=True))
    assert [column.name for column in found.missing] == ["b", "m"]


def test_a_struct_must_have_one_of_its_fields(tmp_path: Path) -> None:
    other = everything(S=pa.array([{"Z": 1}]))
    with pytest.raises(InvalidInput, match="has none of the fields it needs"):
        matched(tmp_path, other, MatchingRules(allow_missing=True, ignore_extra_columns=True))


def test_a_column_with_values_elsewhere_may_be_anything_or_missing(tmp_path: Path) -> None:
    here = (ColumnId(1),)
    assert [c.name for c in matched(tmp_path, everything(), elsewhere=here).columns] == ["ID", "S", "L", "M"]
    text = everything(ID=pa.array(["text"]))
    assert [c.name for c in matched(tmp_path, text, elsewhere=here).columns] == ["S", "L", "M"]
    assert [c.name for c in matched(tmp_path, everything().drop_columns(["ID"]), elsewhere=here).columns] == [
        "S",
        "L",
        "M",
    ]


def test_a_file_as_we_write_it_is_native(tmp_path: Path) -> None:
    schema = physical_schema(TABLE.definition.columns)
    own = pa.table([pa.nulls(1, field.type) for field in schema], schema=schema)
    found = matched(tmp_path, own)
    assert found.native
    assert found.places == {1: [0], 3: [1], 5: [2], 8: [3], 10: [4], 11: [5]}
    assert not found.without([ColumnId(1)]).native
    renamed = own.rename_columns(["ID", "s", "l", "m"])
    assert not matched(tmp_path, renamed).native
    other_id = schema.set(0, schema.field(0).with_metadata({"PARQUET:field_id": "7"}))
    assert not matched(tmp_path, own.cast(other_id)).native
