"""A small lake with a table, and what the table must hold."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

import forklake
from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.api.table import TableHandle
from forklake.catalog.lakes.catalogs import find_catalog
from tests.spark.every_snapshot import Reader

FEW = 30
Values = tuple[int, str]


@dataclass(slots=True)
class House:
    """Rows come in by `append`, which remembers them; what is read must be exactly those."""

    session: Session
    lake: CatalogHandle
    data: Path
    url: str
    rng: random.Random
    rows: set[Values] = field(default_factory=set)

    @property
    def table(self) -> TableHandle:
        return self.lake.table("t")

    def new_rows(self, count: int = FEW) -> pa.Table:
        first = self.rng.randrange(2**40)
        texts = [self.rng.randbytes(8).hex() for _ in range(count)]
        return pa.table({"id": range(first, first + count), "v": texts})

    def append(self, rows: pa.Table | None = None) -> None:
        """Add rows, and expect them from now on if that went well."""
        new = self.new_rows() if rows is None else rows
        self.table.append(new)
        self.rows |= values(new)

    def delete_some(self) -> None:
        """Delete a few of the rows."""
        gone = self.rng.sample(sorted(self.rows), 3)
        self.table.delete(f"id IN ({', '.join(str(id_) for id_, _ in gone)})")
        self.rows -= set(gone)

    def found(self) -> list[Values]:
        """What the table holds, read without Spark."""
        lake = self.lake._attachment.lake
        catalog = find_catalog(lake, self.lake.name)
        head = self.lake.snapshots()[-1].snapshot_id
        return [row[2] for row in Reader(lake, self.data).tables(catalog, head)["t"]]

    def wrongs(self) -> list[str]:
        """What is not as it must be: rows, files and metadata; then that orphans go, and that it can be written to."""
        return [*self._wrong_rows(), *self._wrong_files(), *self._wrong_after_writing()]

    def _wrong_rows(self) -> Iterator[str]:
        found = self.found()
        if len(found) != len(set(found)):
            yield "rows are there twice"
        if lost := self.rows - set(found):
            yield f"{len(lost)} rows are lost, such as {min(lost)}"
        if more := set(found) - self.rows:
            yield f"{len(more)} rows are there of which nobody knows, such as {min(more)}"
        if self.table.count() != len(self.rows):
            yield f"{self.table.count()} rows are counted, of {len(self.rows)}"

    def _wrong_files(self) -> Iterator[str]:
        yield from (f"verify: {found}" for found in self.lake.verify(deep=True) if found.problem != "unknown_file")
        self.lake.delete_orphaned_files(cleanup_all=True)
        yield from (f"verify without orphans: {found}" for found in self.lake.verify(deep=True))

    def _wrong_after_writing(self) -> Iterator[str]:
        self.append()
        yield from (f"after one more commit {wrong}" for wrong in self._wrong_rows())


def values(rows: pa.Table) -> set[Values]:
    return set(zip(rows["id"].to_pylist(), rows["v"].to_pylist(), strict=True))


@contextmanager
def open_house(
    url: str,
    data: Path,
    rng: random.Random,
    *,
    metadata_schema: str | None = None,
    session: Session | None = None,
    retries: int = 2,
) -> Iterator[House]:
    """A new lake with a few rows in `t`; of a session that is given, Spark is used."""
    own = forklake.connect(spark=session.spark if session is not None else None)
    own.sql(f"SET ducklake_max_retry_count = {retries}")
    try:
        lake = own.attach(
            url,
            "lake",
            catalog="main",
            data_path=str(data),
            metadata_schema=metadata_schema,
            create_if_not_exists=True,
        )
        lake.create_table("t", {"id": "bigint", "v": "varchar"}, if_not_exists=True)
        house = House(own, lake, data, url, rng)
        house.append()
        yield house
    finally:
        own.close()
