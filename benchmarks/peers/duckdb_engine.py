"""The DuckLake of DuckDB: another engine on the same format, so its figures are there to compare with."""

import importlib.util
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import duckdb

from benchmarks.peers.engines import Engine, Rows, in_brackets

Metadata = Literal["duckdb", "sqlite", "postgres"]
_TYPES = {"STRING": "VARCHAR"}


def connect_duckdb(*extensions: str, threads: int = 2) -> duckdb.DuckDBPyConnection:
    """A DuckDB in memory with extensions that came as wheels; it never downloads one."""
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false", "threads": str(threads)})
    for name in extensions:
        spec = importlib.util.find_spec(f"duckdb_extension_{name}")
        if spec is None or spec.submodule_search_locations is None:
            raise ModuleNotFoundError(f"there is no duckdb-extension-{name}; install it with pip")
        [file] = Path(spec.submodule_search_locations[0]).rglob(f"{name}.duckdb_extension")
        connection.load_extension(str(file))
    return connection


class DuckLake(Engine):
    """A lake with its metadata in a DuckDB file, a SQLite file or PostgreSQL; the address says where."""

    def __init__(self, metadata: Metadata, address: str, data: Path, threads: int) -> None:
        self.name = f"ducklake {metadata}"
        self._data = data
        extensions = {"duckdb": (), "sqlite": ("sqlite_scanner",), "postgres": ("postgres_scanner",)}[metadata]
        self._connection = connect_duckdb("ducklake", *extensions, threads=threads)
        self.run("SET preserve_insertion_order = false")
        prefix = "" if metadata == "duckdb" else f"{metadata}:"
        self.run(f"ATTACH 'ducklake:{prefix}{address}' AS lake (DATA_PATH '{data}')")

    def run(self, statement: str) -> Rows:
        return self._connection.execute(statement).fetchall()

    def use(self) -> None:
        self.run("USE lake")

    def table(self, name: str) -> str:
        return f"lake.main.{name}"

    def load(self, name: str, source: Path) -> None:
        files = source / "*.parquet" if source.is_dir() else source
        self.run(f"CREATE TABLE {self.table(name)} AS SELECT * FROM '{files}'")

    def create(self, name: str, columns: Mapping[str, str]) -> None:
        translated = {column: _TYPES.get(type_.upper(), type_) for column, type_ in columns.items()}
        self.run(f"CREATE TABLE {self.table(name)} ({in_brackets(translated)})")

    def compact(self, name: str) -> None:
        self.run(f"CALL ducklake_rewrite_data_files('lake', '{name}', delete_threshold => 0)")
        self.run(f"CALL ducklake_merge_adjacent_files('lake', '{name}')")

    def expire(self, name: str) -> None:
        """Of all tables of the lake, since versions are the lake's."""
        self.run("CALL ducklake_expire_snapshots('lake', older_than => now())")
        self.run("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")

    def files(self, name: str) -> list[Path]:
        return [Path(path) for (path,) in self.run(f"SELECT data_file FROM ducklake_list_files('lake', '{name}')")]

    def close(self) -> None:
        self._connection.close()
        shutil.rmtree(self._data, ignore_errors=True)
