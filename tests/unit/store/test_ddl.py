"""The DDL is generated from one definition of the tables, for both databases."""

import pytest

from forklake.store.ddl import APPENDED, create_script, schema_file
from forklake.store.format_version import FORMAT_VERSION
from forklake.store.metadata_tables import TABLES
from forklake.store.snapshot_writer import SNAPSHOT_COLUMNS

DATABASES = ["postgresql", "sqlite"]


@pytest.mark.parametrize("database", DATABASES)
def test_every_table_is_created_where_it_is_missing(database: str) -> None:
    script = create_script(database)
    for name in TABLES:
        assert f"CREATE TABLE IF NOT EXISTS {name} (" in script


@pytest.mark.parametrize("database", DATABASES)
def test_the_schema_file_is_one_transaction_that_says_its_format(database: str) -> None:
    text = schema_file(database)
    assert text.count("\nBEGIN;\n") == text.count("\nCOMMIT;\n") == 1
    assert f"('format_version', '{FORMAT_VERSION}')" in text


def test_the_name_of_a_schema_is_quoted() -> None:
    script = create_script("postgresql", 'a"b; DROP')
    assert 'CREATE SCHEMA "a""b; DROP";' in script
    assert 'SET search_path TO "a""b; DROP", pg_temp;' in script
    assert "CREATE SCHEMA \"it''s\"" in create_script("postgresql", "it's")


def test_every_row_of_a_catalog_is_found_by_its_catalog_first() -> None:
    shared = {"lake_info", "lake_instance_option"}
    for name, table in TABLES.items():
        if name not in shared:
            assert next(iter(table.primary_key.columns)).name == "catalog_id", name


def test_the_positions_of_snapshot_ids_are_those_of_the_columns_that_have_them() -> None:
    named = {"begin_snapshot", "table_version"}
    for name in APPENDED:
        columns = list(TABLES[name].columns)
        ending = {"end_snapshot"} if name == "lake_row_end" else named
        found = [position for position, column in enumerate(columns) if column.name in ending]
        assert list(SNAPSHOT_COLUMNS.get(name, [])) == found, name
