"""Which types in files a column takes: as DuckLake decides, but for what Spark would read wrong or can read too."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from forklake.errors import InvalidInput
from forklake.maintenance.adding.file_matching import match_columns
from forklake.maintenance.adding.file_types import source_type
from forklake.model.column_tree import build_column
from forklake.model.column_types import ColumnType, parse_type
from forklake.model.entities import LakeObject, Table, TableDefinition
from forklake.model.ids import CatalogId, ColumnId, SchemaId, SnapshotId
from forklake.spark.tasks.statistics.file_fields import FileField, file_fields
from tests.ducklake_oracle import connect_oracle
from tests.foreign_files import KINDS, write_kind

TYPES = (
    *("boolean", "smallint", "integer", "bigint", "hugeint", "usmallint", "ubigint", "float", "double"),
    *("decimal(10,4)", "decimal(38,10)", "date", "time", "timestamp", "timestamp_s", "timestamp_ns", "timestamptz"),
    *("interval", "varchar", "blob", "uuid", "json", "variant", "geometry"),
    *("bigint[]", "struct(a bigint)", "map(varchar, integer)"),
)
SAME_TO_PARQUET = {"large varchar", "dictionary", "two numbers", "int16", "uint16"}
TZ = ColumnType("timestamptz")
ONLY_OURS = {("timestamptz", "int96"), ("variant", "variant")}
"""Spark writes instants like this, and reads both of them."""
ONLY_THEIRS = {("blob", "half")}
"""DuckLake takes it, and fails when it reads it."""


def table_of(*columns: tuple[str, str]) -> Table:
    """A table with columns of these types."""
    ids = (ColumnId(at) for at in range(1, 1000))
    grown = tuple(build_column(name, parse_type(text), ids, None) for name, text in columns)
    owner, begin = CatalogId(1), SnapshotId(1)
    return LakeObject(owner, 1, begin, "table", SchemaId(1), "t", "", None, TableDefinition(grown))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("files")
    kinds = [kind for kind in KINDS if kind not in SAME_TO_PARQUET]
    return {kind: write_kind(folder / f"{at}.parquet", kind, "c") for at, kind in enumerate(kinds)}


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("oracle")
    with connect_oracle() as connection:
        connection.execute(f"ATTACH 'ducklake:{folder}/meta.db' AS lake (DATA_PATH '{folder}/data/')")
        connection.execute("USE lake")
        yield connection


def fields_of(path: Path) -> tuple[FileField, ...]:
    return file_fields(pq.read_metadata(path))


def takes(table: Table, path: Path) -> bool:
    try:
        match_columns(table, fields_of(path), str(path))
    except InvalidInput:
        return False
    return True


def ducklake_takes(oracle: duckdb.DuckDBPyConnection, path: Path) -> bool:
    try:
        oracle.execute(f"CALL ducklake_add_data_files('lake', 't', '{path}')")
    except duckdb.InvalidInputException:
        return False
    return True


@pytest.mark.parametrize("type_text", TYPES)
def test_a_column_takes_what_ducklake_takes(
    oracle: duckdb.DuckDBPyConnection, files: dict[str, Path], type_text: str
) -> None:
    oracle.execute(f"CREATE OR REPLACE TABLE t (c {type_text})")
    ours = {kind for kind, path in files.items() if takes(table_of(("c", type_text)), path)}
    theirs = {kind for kind, path in files.items() if ducklake_takes(oracle, path)}
    assert {(type_text, kind) for kind in ours - theirs} == {pair for pair in ONLY_OURS if pair[0] == type_text}
    assert {(type_text, kind) for kind in theirs - ours} == {pair for pair in ONLY_THEIRS if pair[0] == type_text}


@pytest.mark.parametrize(("wanted", "taken"), [("timestamp", {False, None}), ("timestamptz", {True, None})])
def test_a_timestamp_that_does_not_say_whether_it_is_an_instant_may_be_one(
    wanted: str, taken: set[bool | None]
) -> None:
    [column] = table_of(("c", wanted)).definition.columns
    found = {utc for utc in (True, False, None) if source_type(column, FileField("c", TZ, "", utc=utc)) is not None}
    assert found == taken
