"""A lake for statements to be run on, with a catalog in it that nobody may touch."""

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import forklake
from forklake.api.session import Session
from forklake.catalog.checks.verify import verify_metadata
from forklake.catalog.lakes.catalogs import find_catalog, list_catalogs
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import ForklakeError, NoSuchCatalog
from forklake.sql.functions.operations import MAINTENANCE
from forklake.sql.functions.procedures import PROCEDURES
from forklake.sql.parsing.cursor import split_statements
from tests.lakes import metadata_rows
from trust.fuzz.judging import NoSpark

ALIASES = ("lake", "lake", "fork")
_LONGEST_TRANSACTION = 12
_NAMES = "|".join(each.name for each in (*PROCEDURES, *MAINTENANCE))
_READS_PROCEDURE = re.compile(rf"from\b.*\b(?:ducklake_)?({_NAMES})\s*\(", re.DOTALL)


@dataclass(slots=True)
class FuzzedLake:
    """Runs statements in one session that has no Spark."""

    target: str
    metadata_schema: str | None
    folder: Path
    session: Session
    lake: Lake
    """Opened once more, for looking at it from outside."""
    kept_name: str
    kept: object = None
    _in_transaction: int = field(default=0)

    def run(self, text: str) -> None:
        self.session.sql(text).fetchall()

    def state(self) -> object:
        return self.lake.store.fetch(
            "SELECT catalog_id, catalog_name, head_snapshot, end_snapshot FROM lake_catalog ORDER BY catalog_id", {}
        )

    def may_stay(self, text: str) -> bool:
        """Maintenance commits as it goes, and so do several statements; and a procedure that a query reads from has
        run before the rest of the query is looked at."""
        try:
            if "checkpoint" in text.lower() or _READS_PROCEDURE.search(text.lower()):
                return True
            return len(split_statements(text, self.session.dialect)) > 1
        except ForklakeError:
            return False

    def settle(self) -> None:
        """Attach what statements have detached or dropped, and end what goes on for too long."""
        if self.session._state.transactions.is_open:
            self._in_transaction += 1
            if self._in_transaction < _LONGEST_TRANSACTION:
                return
            self.session.rollback()
        self._in_transaction = 0
        self._attach("lake", "main", create=True)
        self._attach("fork", "fork_a", create=False)
        if self.session._state.current_catalog is None:
            self.session.sql("USE lake")

    def _attach(self, name: str, catalog: str, *, create: bool) -> None:
        if self.session._state.attachments.find(name) is not None:
            return
        try:
            self.session.attach(
                self.target,
                name,
                catalog=catalog,
                metadata_schema=self.metadata_schema,
                create_if_not_exists=create,
                data_inlining_row_limit=10,
            )
        except NoSuchCatalog:
            return

    def canary(self) -> object:
        """All that makes up the catalog that nobody may touch."""
        kept = find_catalog(self.lake, self.kept_name)
        files = sorted((str(path), path.read_bytes()) for path in self.folder.glob("kept/**/*") if path.is_file())
        return metadata_rows(self.lake, kept), files

    def problems(self) -> list[str]:
        """What is wrong with the lake, whatever was done to it by statements."""
        found = []
        try:
            if self.canary() != self.kept:
                found.append("the catalog that no statement names has changed")
        except NoSuchCatalog:
            found.append("the catalog that no statement names is gone")
        for info in list_catalogs(self.lake):
            found += [f"{info.name!r}: {finding}" for finding in verify_metadata(find_catalog(self.lake, info.name))]
        return found


@contextmanager
def fuzzed_lake(
    folder: Path, target: str, metadata_schema: str | None, dialect: str, kept: str
) -> Iterator[FuzzedLake]:
    """A new lake with a few things in it, and with the canary."""
    # Beside what statements can name: files that belong to nobody whom they know.
    (folder / "kept").mkdir(parents=True)
    (folder / "kept" / f"{uuid.UUID(int=0)}.parquet").write_bytes(b"not to be touched")
    with forklake.connect(dialect=dialect) as session:
        session._state.provider = NoSpark()
        session.attach(
            target,
            "kept",
            catalog=kept,
            metadata_schema=metadata_schema,
            create_if_not_exists=True,
            data_path=str(folder / "data"),
            data_inlining_row_limit=10,
        )
        session.sql("CREATE TABLE kept.t (id INTEGER, v VARCHAR); INSERT INTO kept.t VALUES (1, 'kept')")
        session.detach("kept")
        session._state.current_catalog = None
        lake = open_lake(target, metadata_schema=metadata_schema)
        try:
            subject = FuzzedLake(target, metadata_schema, folder, session, lake, kept)
            subject.settle()
            session.sql("CREATE TABLE t (id INTEGER, v VARCHAR); INSERT INTO t VALUES (1, 'a'), (2, NULL)")
            session.sql("CREATE MACRO m(x) AS x + 1; FORK CATALOG lake AS fork_a")
            subject.settle()
            subject.kept = subject.canary()
            yield subject
        finally:
            lake.close()
