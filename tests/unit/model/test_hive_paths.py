"""Folders such as `region=a` give values, and everything else in a path does not."""

import pytest

from forklake.model.column_types import ColumnType
from forklake.model.hive_paths import hive_value, hive_values
from forklake.model.partitions import hive_segment


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("/a/b/f.parquet", {}),
        ("/p=1/Q=x/f.parquet", {"p": "1", "q": "x"}),
        ("p=1/f.parquet", {"p": "1"}),
        ("s3://bucket/p=1/f.parquet", {"p": "1"}),
        ("/p=1/p=2/P=3/f.parquet", {"p": "1"}),
        ("/p=a%2Fb/two%20words=100%25/f.parquet", {"p": "a/b", "two words": "100%"}),
        ("/p=__HIVE_DEFAULT_PARTITION__/q=/f.parquet", {"p": None, "q": ""}),
        ("/p=a=b/=1/q/f.parquet", {}),
        ("/x/p=1.parquet", {}),
        ("/p=a+b/q=%FF/r=100%/f.parquet", {"p": "a+b", "q": "%FF", "r": "100%"}),
    ],
)
def test_folders_give_values(path: str, values: dict[str, str | None]) -> None:
    assert hive_values(path) == values


@pytest.mark.parametrize("value", ["", "a/b", "x=y", "100%", "é 🦆", "__HIVE_DEFAULT_PARTITION", None, "."])
@pytest.mark.parametrize("name", ["p", "a=b", "ü/x"])
def test_what_we_write_is_read_again(name: str, value: str | None) -> None:
    assert hive_values(f"/t/{hive_segment(name, value)}/f.parquet") == {name: value}


@pytest.mark.parametrize(
    ("text", "type_name", "value"),
    [
        ("", "varchar", ""),
        ("", "int32", None),
        ("NULL", "varchar", None),
        ("null", "int32", None),
        ("nulls", "varchar", "nulls"),
        (None, "varchar", None),
        ("5", "int32", "5"),
    ],
)
def test_a_text_is_a_value_of_a_type_or_none(text: str | None, type_name: str, value: str | None) -> None:
    assert hive_value(text, ColumnType(type_name)) == value
