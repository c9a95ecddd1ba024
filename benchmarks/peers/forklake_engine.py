"""Ourselves, on the same Spark as the peers."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from benchmarks.databases import Place
from benchmarks.peers.engines import Engine, Rows, in_brackets, local_path
from forklake.api.session import Session


class Forklake(Engine):
    """A catalog of its own, in a lake of its own unless it is a fork."""

    def __init__(self, session: Session, place: Place, data: Path, attachment: str, catalog: str = "main") -> None:
        self.name = f"forklake {place.backend}"
        self.place = place
        self.data = data
        self.session = session
        self.attachment = attachment
        self.catalog = session.attach(
            place.url, attachment, catalog=catalog, data_path=str(data), create_if_not_exists=True
        )

    def fork(self, name: str) -> "Forklake":
        """The same tables in a fork, attached under its name; closing that leaves the files of both alone."""
        self.catalog.fork(name)
        return _Fork(self.session, self.place, self.data, name, name)

    def run(self, statement: str) -> Rows:
        """Queries come through Spark, as those of the others do; what other statements give is there already."""
        result = self.session.sql(statement)
        if statement.split(maxsplit=1)[0].upper() not in ("SELECT", "WITH"):
            return result.fetchall()
        return [tuple(row) for row in result.to_spark().collect()]

    def use(self) -> None:
        self.run(f"USE {self.attachment}")

    def table(self, name: str) -> str:
        return f"{self.attachment}.main.{name}"

    def load(self, name: str, source: Path) -> None:
        self.run(f"CREATE TABLE {self.table(name)} AS SELECT * FROM parquet.`{source}`")

    def create(self, name: str, columns: Mapping[str, str]) -> None:
        self.run(f"CREATE TABLE {self.table(name)} ({in_brackets(columns)})")

    def compact(self, name: str) -> None:
        self.run(f"CALL {self.attachment}.rewrite_data_files('{name}', delete_threshold => 0)")
        self.run(f"CALL {self.attachment}.merge_adjacent_files('{name}')")

    def expire(self, name: str) -> None:
        """Of all tables of the catalog, since versions are the catalog's."""
        self.run(f"CALL {self.attachment}.expire_snapshots(older_than => now())")
        self.run(f"CALL {self.attachment}.cleanup_old_files(cleanup_all => true)")

    def files(self, name: str) -> list[Path]:
        rows = self.run(f"SELECT data_file FROM {self.attachment}.list_files('{name}')")
        return [local_path(path) for (path,) in rows]

    def close(self) -> None:
        self.session.detach(self.attachment)
        shutil.rmtree(self.data, ignore_errors=True)


class _Fork(Forklake):
    """A fork keeps its files in the folder of its lake."""

    def close(self) -> None:
        self.session.detach(self.attachment)
