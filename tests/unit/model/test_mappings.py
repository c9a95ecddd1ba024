"""A column mapping fits its table, contradicts itself nowhere, and survives its document."""

import json

import pytest

from forklake.errors import CorruptMetadata, InvalidInput
from forklake.model.documents import read_mapping, write_mapping
from forklake.model.ids import ColumnId
from forklake.model.mappings import MappedColumn, NameMapping, check_mapping

FIELDS = {ColumnId(3), ColumnId(4), ColumnId(5)}
ADDRESS = MappedColumn(0, "address", ColumnId(3))
CITY = MappedColumn(1, "city", ColumnId(4), parent=0)
YEAR = MappedColumn(2, "year", ColumnId(5), is_partition=True)


def test_a_mapping_and_its_document_say_the_same() -> None:
    mapping = NameMapping((ADDRESS, CITY, YEAR))
    check_mapping(mapping, FIELDS)
    text = write_mapping(mapping)
    assert json.loads(text) == {
        "type": "map_by_name",
        "columns": [
            {"id": 0, "source_name": "address", "target_field_id": 3},
            {"id": 1, "source_name": "city", "target_field_id": 4, "parent": 0},
            {"id": 2, "source_name": "year", "target_field_id": 5, "is_partition": True},
        ],
    }
    assert read_mapping(text) == read_mapping(json.loads(text)) == mapping


@pytest.mark.parametrize(
    "columns",
    [
        (ADDRESS, MappedColumn(0, "city", ColumnId(4))),
        (CITY, ADDRESS),
        (MappedColumn(0, "a", ColumnId(3), parent=0),),
        (MappedColumn(0, "a", ColumnId(9)),),
        (MappedColumn(-1, "a", ColumnId(3)),),
        (MappedColumn(2**31, "a", ColumnId(3)),),
        (MappedColumn(0, "a\0", ColumnId(3)),),
        (MappedColumn(0, "\ud800", ColumnId(3)),),
        (ADDRESS, MappedColumn(1, "address", ColumnId(4))),
    ],
)
def test_a_mapping_that_contradicts_itself_or_its_table_is_refused(columns: tuple[MappedColumn, ...]) -> None:
    with pytest.raises(InvalidInput):
        check_mapping(NameMapping(columns), FIELDS)


@pytest.mark.parametrize(
    "document",
    ["not json", "{}", "[]", '{"type": "by_magic", "columns": []}', '{"type": "map_by_name", "columns": [{"id": 1}]}'],
)
def test_a_document_that_is_no_mapping_is_corrupt(document: str) -> None:
    with pytest.raises(CorruptMetadata, match="cannot be read"):
        read_mapping(document)
