"""The seam between Forklake and a database: what a store promises, and how it fails."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from forklake.errors import StoreBusy, StoreError
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.snapshots import CommitInfo
from forklake.store.dialect import StoreDialect

Row = tuple[Any, ...]
Params = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with `:named` parameters; values never become part of the text."""

    sql: str
    params: Params


@dataclass(frozen=True, slots=True)
class RowsToInsert:
    """Whole rows to insert, in the order of the table's columns. Many rows travel in bulk."""

    table: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """What to fork: the parent's name, the fork's name, and where if not at the head."""

    parent: str
    name: str
    uuid: str
    """What the fork will be known by, whatever happens to the connection."""
    version: int | None = None
    timestamp: datetime | None = None
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AppendCommit:
    """A commit that only adds rows, ready but for its snapshot id, for which `stand_in` stands in the rows."""

    catalog_id: CatalogId
    base: SnapshotId
    stand_in: SnapshotId
    rows: Sequence[RowsToInsert]
    alters_schema: bool
    changes: str | None
    info: CommitInfo
    token: str


class TransientFailure(StoreBusy):
    """A failure that may pass: nothing was written, and the same may be tried again."""


class DuplicateRow(TransientFailure):
    """A row with this key exists: somebody else was faster."""


class OutcomeUnknown(StoreError):
    """The connection was lost while COMMIT was under way: it may or may not have happened."""

    def __init__(self, message: str, session: int) -> None:
        super().__init__(message)
        self.session = session


class WriteConnection(Protocol):
    """A connection inside a transaction. Without `commit`, everything is rolled back."""

    def fetch_all(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """The rows of several statements, executed in order."""
        ...

    def run_script(self, script: str) -> None:
        """Carry out several statements without parameters, which are committed with the rest."""
        ...

    def commit(self, steps: Sequence[Statement | RowsToInsert]) -> None:
        """Carry out the steps in order and commit. Raises OutcomeUnknown if nobody can tell."""
        ...


class Store(Protocol):
    """A metadata database holding one lake. Safe to share between threads."""

    @property
    def dialect(self) -> StoreDialect: ...

    @property
    def read_only(self) -> bool: ...

    @property
    def location(self) -> str:
        """Where the database is, for messages; never with a password."""
        ...

    @property
    def identity(self) -> str:
        """The same for every store on the same database, and for no other."""
        ...

    def fetch(self, sql: str, params: Params) -> list[Row]:
        """The rows of one statement that stands alone."""
        ...

    def fetch_all(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """The rows of several statements, in one round trip where the database can; no transaction."""
        ...

    def writing(self, first: Sequence[Statement]) -> AbstractContextManager[tuple[WriteConnection, list[list[Row]]]]:
        """A transaction, begun with the `first` statements, and the rows they gave."""
        ...

    def append(self, append: AppendCommit) -> SnapshotId | None:
        """Commit rows in one round trip, if nothing was committed to the catalog since the base.

        None if it cannot be done like this: nothing was written, and the long way will tell why.
        """
        ...

    def settle(self, lost: OutcomeUnknown) -> None:
        """Make sure that the session whose connection was lost can no longer commit."""
        ...

    def fork(self, request: ForkRequest) -> bool:
        """Fork a catalog in one transaction; false when it existed and that was allowed."""
        ...

    def close(self) -> None: ...
