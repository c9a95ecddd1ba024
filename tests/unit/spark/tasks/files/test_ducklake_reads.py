"""Files of ours in a real DuckLake, registered with its own function."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import duckdb
import pytest

from forklake.model.column_types import parse_type
from forklake.model.ids import PartitionId
from forklake.model.partitions import PartitionKey, PartitionSpec
from forklake.spark.tasks.files.write_file import write_rows
from forklake.spark.tasks.partitions.partitioning import partitioning_of
from tests.ducklake_oracle import connect_oracle
from tests.unit.spark.tasks.samples import SAMPLES, columns, order_in, shown_batch, write

# Kept as decimals, because DuckLake's DOUBLE loses digits; and as text.
REFUSED = {"int128", "uint128", "interval"}
FLAT = {f"c{at}": name for at, name in enumerate(name for name in SAMPLES if name not in REFUSED)}
OTHER_TEXTS = {"boolean": ("false", "true"), "blob": (r"\x00\xFF", "a")}
"""What DuckLake writes only for files that it did not write itself."""


@pytest.fixture
def oracle(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with connect_oracle() as connection:
        connection.execute(f"ATTACH 'ducklake:{tmp_path}/meta.db' AS lake (DATA_PATH '{tmp_path}/own/')")
        connection.execute("USE lake")
        yield connection


def _create(oracle: duckdb.DuckDBPyConnection, types: dict[str, str]) -> None:
    listed = ", ".join(f"{name} {parse_type(text).sql()}" for name, text in types.items())
    oracle.execute(f"CREATE TABLE t ({listed})")


def test_ducklake_takes_a_file_of_flat_columns(oracle: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    _create(oracle, FLAT)
    values = {name: [*SAMPLES[text].shown, None] for name, text in FLAT.items()}
    path, file = write(tmp_path, columns(**FLAT), values)
    oracle.execute(f"CALL ducklake_add_data_files('lake', 't', '{path}')")
    for name, text in FLAT.items():
        shown = f"epoch_ns({name})" if text == "timestamp_ns" else name
        found = [row[0] for row in oracle.execute(f"SELECT {shown} FROM t").fetchall()]
        assert found == [*SAMPLES[text].read, None], text
    stored = oracle.execute(
        "SELECT column_id, min_value, max_value FROM __ducklake_metadata_lake.ducklake_file_column_stats"
    ).fetchall()
    texts = {stats.column_id: (stats.min_value, stats.max_value) for stats in file.column_stats}
    differing = {FLAT[f"c{at - 1}"]: (low, high) for at, low, high in stored if (low, high) != texts[at]}
    assert differing == OTHER_TEXTS


@pytest.mark.parametrize("type_text", sorted(REFUSED))
def test_ducklake_refuses_types_that_are_kept_in_another_form(
    type_text: str, oracle: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    _create(oracle, {"c": type_text})
    path, _ = write(tmp_path, columns(c=type_text), {"c": [*SAMPLES[type_text].shown]})
    with pytest.raises(duckdb.Error, match=r"Expected .*, found type"):
        oracle.execute(f"CALL ducklake_add_data_files('lake', 't', '{path}')")


def test_ducklake_takes_a_file_of_nested_columns(oracle: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    types = {"a": "struct(x uuid, y utinyint[])[]", "m": "map(varchar, struct(z timestamp_ms))"}
    _create(oracle, types)
    one = "00000000-0000-0000-0000-000000000001"
    values = {"a": [[{"x": one, "y": [1, None]}, None], None, []], "m": [[("k", {"z": None})], [], None]}
    path, _ = write(tmp_path, columns(**types), values)
    oracle.execute(f"CALL ducklake_add_data_files('lake', 't', '{path}')")
    assert oracle.execute("SELECT a, m FROM t").fetchall() == [
        ([{"x": UUID(one), "y": [1, None]}, None], {"k": {"z": None}}),
        (None, {}),
        ([], None),
    ]


def test_ducklake_finds_the_fields_of_a_file_by_their_ids(oracle: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """As it reads our files when the metadata is ours: no mapping of names, the file in the table's folder."""
    types = {"a": "struct(x uuid, y utinyint[])[]", "m": "map(varchar, struct(z integer))"}
    _create(oracle, types)
    oracle.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
    oracle.execute("INSERT INTO t VALUES ([], MAP {})")
    path, file = write(tmp_path, columns(**types), {"a": [[{"x": None, "y": [1]}]], "m": [[("k", {"z": 2})]]})
    [(name,)] = oracle.execute("SELECT path FROM __ducklake_metadata_lake.ducklake_data_file").fetchall()
    (tmp_path / "own" / "main" / "t" / name).write_bytes(Path(path).read_bytes())
    oracle.execute(
        "UPDATE __ducklake_metadata_lake.ducklake_data_file "
        f"SET file_size_bytes = {file.file_size_bytes}, footer_size = {file.footer_size}"
    )
    assert oracle.execute("SELECT a, m FROM t").fetchall() == [([{"x": None, "y": [1]}], {"k": {"z": 2}})]


def test_ducklake_takes_the_files_of_a_partitioned_table(oracle: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    types = {"region": "varchar", "n": "integer"}
    table_columns = columns(**types)
    _create(oracle, types)
    oracle.execute("ALTER TABLE t SET PARTITIONED BY (region)")
    spec = PartitionSpec(PartitionId(1), (PartitionKey(table_columns[0].column_id, "identity"),))
    order = order_in(tmp_path, table_columns, partition=partitioning_of(spec, table_columns))
    batch = shown_batch(table_columns, {"region": ["a/b", "c d", "a/b"], "n": [1, 2, 3]})
    files = list(write_rows(order, [batch]))
    for file in files:
        oracle.execute(
            f"CALL ducklake_add_data_files('lake', 't', '{tmp_path / file.path}', hive_partitioning => true)"
        )
    assert oracle.execute("SELECT n FROM t WHERE region = 'a/b' ORDER BY n").fetchall() == [(1,), (3,)]
    stored = oracle.execute(
        "SELECT partition_value FROM __ducklake_metadata_lake.ducklake_file_partition_value"
    ).fetchall()
    assert sorted(stored) == sorted(file.partition_values for file in files)


@pytest.mark.parametrize(
    "type_text", ["integer", "ubigint", "varchar", "uuid", "date", "timestamp_ns", "decimal(18,3)"]
)
def test_rows_get_the_bucket_that_ducklake_gives_them(
    type_text: str, oracle: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    sample = next(sample for name, sample in SAMPLES.items() if parse_type(name) == parse_type(type_text))
    table_columns = columns(c=type_text)
    spec = PartitionSpec(PartitionId(1), (PartitionKey(table_columns[0].column_id, "bucket(1000)"),))
    order = order_in(tmp_path, table_columns, partition=partitioning_of(spec, table_columns))
    files = list(write_rows(order, [shown_batch(table_columns, {"c": [*sample.shown, None]})]))
    _create(oracle, {"c": type_text})
    oracle.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
    oracle.execute("ALTER TABLE t SET PARTITIONED BY (bucket(1000, c))")
    listed = ", ".join(f"'{tmp_path / file.path}'" for file in files)
    oracle.execute(f"INSERT INTO t SELECT c FROM read_parquet([{listed}], hive_partitioning => false)")
    stored = oracle.execute(
        "SELECT partition_value FROM __ducklake_metadata_lake.ducklake_file_partition_value"
    ).fetchall()
    assert {value for (value,) in stored} == {file.partition_values[0] for file in files}
