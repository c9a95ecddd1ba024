"""The oracle works offline, over a file and over our PostgreSQL."""

from pathlib import Path

from tests.ducklake_oracle import connect_oracle
from tests.postgres_server import TestPostgres


def test_the_oracle_keeps_a_row_in_a_lake_whose_metadata_is_a_file(tmp_path: Path) -> None:
    assert _write_and_read(f"ducklake:{tmp_path / 'lake.ducklake'}", tmp_path) == [(1, "one")]


def test_the_oracle_keeps_a_row_in_a_lake_whose_metadata_is_in_postgres(postgres: TestPostgres, tmp_path: Path) -> None:
    assert _write_and_read(f"ducklake:postgres:{postgres.create_database()}", tmp_path) == [(1, "one")]


def _write_and_read(address: str, folder: Path) -> list[tuple[object, ...]]:
    with connect_oracle() as oracle:
        oracle.execute(f"ATTACH '{address}' AS lake (DATA_PATH '{folder / 'data'}')")
        oracle.execute("CREATE TABLE lake.numbers (id INTEGER, name VARCHAR)")
        oracle.execute("INSERT INTO lake.numbers VALUES (1, 'one')")
        return oracle.execute("FROM lake.numbers").fetchall()
