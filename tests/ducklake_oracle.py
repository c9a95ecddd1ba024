"""DuckDB's own DuckLake, to compare our answers with."""

import importlib.util
from pathlib import Path

import duckdb

EXTENSIONS = ("ducklake", "postgres_scanner")


def connect_oracle(*more: str) -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB with the ducklake and postgres extensions loaded, and more, that never downloads one."""
    # Their signatures take a fifth of a second in every connection; they come from wheels whose hashes are locked.
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false", "allow_unsigned_extensions": "true"})
    for name in (*EXTENSIONS, *more):
        connection.load_extension(str(_extension_file(name)))
    return connection


def _extension_file(name: str) -> Path:
    """The binary inside the wheel that carries the extension."""
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    [file] = Path(spec.submodule_search_locations[0]).rglob(f"{name}.duckdb_extension")
    return file
