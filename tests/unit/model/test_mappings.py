"""A column mapping fits its table, contradicts itself nowhere, and survives its document."""

import json

import pytest

from forklake.errors import CorruptMetadata, InvalidInput, InvalidType
from forklake.model.alterations import ColumnSpec, new_definition, rename_column
from forklake.model.column_types import parse_type
from forklake.model.documents import read_mapping, write_mapping
from forklake.model.ids import ColumnId
from forklake.model.mappings import MappedColumn, NameMapping, check_mapping, mapping_of

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


def test_types_are_kept_and_a_document_without_them_is_still_read() -> None:
    mapping = NameMapping((MappedColumn(0, "a", ColumnId(3), source_type="DECIMAL(4,2)"),))
    check_mapping(mapping, FIELDS)
    text = write_mapping(mapping)
    assert json.loads(text)["columns"] == [
        {"id": 0, "source_name": "a", "target_field_id": 3, "source_type": "DECIMAL(4,2)"}
    ]
    assert read_mapping(text) == mapping
    del (older := json.loads(text))["columns"][0]["source_type"]
    assert read_mapping(older) == NameMapping((MappedColumn(0, "a", ColumnId(3)),))


def test_a_mapping_with_a_type_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidType):
        check_mapping(NameMapping((MappedColumn(0, "a", ColumnId(3), source_type="COLOUR"),)), FIELDS)


def test_a_definition_is_mapped_with_all_its_fields_names_and_types() -> None:
    types = {"id": "int", "where": 'struct(city varchar, "a ""b""" int[])', "tags": "map(varchar, decimal(4,2))"}
    definition = new_definition([ColumnSpec(name, parse_type(text)) for name, text in types.items()])
    definition = rename_column(definition, ("where", "city"), "town")
    mapping = mapping_of(definition)
    check_mapping(mapping, {field.column_id for field in definition.fields()})
    assert [(c.number, c.source_name, c.target_field_id, c.parent, c.source_type) for c in mapping.columns] == [
        (0, "id", 1, None, "INTEGER"),
        (1, "where", 2, None, 'STRUCT(town VARCHAR, "a ""b""" INTEGER[])'),
        (2, "town", 3, 1, "VARCHAR"),
        (3, 'a "b"', 4, 1, "INTEGER[]"),
        (4, "element", 5, 3, "INTEGER"),
        (5, "tags", 6, None, "MAP(VARCHAR, DECIMAL(4,2))"),
        (6, "key", 7, 5, "VARCHAR"),
        (7, "value", 8, 5, "DECIMAL(4,2)"),
    ]
    by_id = {field.column_id: field.type for field in definition.fields()}
    assert all(parse_type(c.source_type or "") == by_id[c.target_field_id] for c in mapping.columns)
    assert read_mapping(write_mapping(mapping)) == mapping


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
