"""The interface between Forklake and a metadata database, and its errors."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from forklake.errors import StoreBusy, StoreError
from forklake.model.additions import TableAddition
from forklake.model.ids import CatalogId, SnapshotId, TableId
from forklake.model.snapshots import CommitInfo
from forklake.store.dialect import StoreDialect

Row = tuple[Any, ...]
Params = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with `:named` parameters; values are never interpolated."""

    sql: str
    params: Params


@dataclass(frozen=True, slots=True)
class RowsToInsert:
    """Complete rows to insert, in column order. Many rows are inserted in bulk."""

    table: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """A fork to create: the names of parent and fork, and the fork point unless it is the head."""

    parent: str
    name: str
    uuid: str
    """The identity of the fork, used to recognise it if the connection is lost."""
    version: int | None = None
    timestamp: datetime | None = None
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AppendCommit:
    """A commit that only adds rows, complete except for its snapshot id: they begin, or end others, at UNCOMMITTED.

    With `additions`, it is also incomplete in the statistics and the row ids of these tables: row ids count from 0, and
    the rows contain no statistics. The base may then be followed by commits that new rows do not conflict with.

    With `instance_options`, the options of the instance must be exactly these.
    """

    catalog_id: CatalogId
    base: SnapshotId
    rows: Sequence[RowsToInsert]
    alters_schema: bool
    changes: str | None
    info: CommitInfo
    token: str
    additions: Mapping[TableId, TableAddition] | None = None
    instance_options: Mapping[str, str] | None = None


class TransientFailure(StoreBusy):
    """A transient failure: nothing was written, and the operation may be retried."""


class DuplicateRow(TransientFailure):
    """A row with this key already exists, because of a concurrent writer."""


class OutcomeUnknown(StoreError):
    """The connection was lost during COMMIT, which may or may not have happened."""

    def __init__(self, message: str, session: int) -> None:
        super().__init__(message)
        self.session = session


class WriteConnection(Protocol):
    """A connection inside a transaction, which is rolled back unless `commit` is called."""

    def fetch_all(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """Executes statements in order and returns their rows."""
        ...

    def run_script(self, script: str) -> None:
        """Executes several statements without parameters as part of the transaction."""
        ...

    def commit(self, steps: Sequence[Statement | RowsToInsert]) -> None:
        """Executes the steps in order and commits. Raises OutcomeUnknown if the outcome cannot be determined."""
        ...


class Store(Protocol):
    """A metadata database with one lake. Thread-safe."""

    @property
    def dialect(self) -> StoreDialect: ...

    @property
    def read_only(self) -> bool: ...

    @property
    def location(self) -> str:
        """The location of the database for messages, without password."""
        ...

    @property
    def identity(self) -> str:
        """An identifier of the database: equal for all stores on the same database, and for no others."""
        ...

    def fetch(self, sql: str, params: Params) -> list[Row]:
        """Executes a single statement outside of a transaction and returns its rows."""
        ...

    def fetch_all(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """Executes several statements, in one round trip if possible, without a transaction."""
        ...

    def draw_ids(self, sequence: str, count: int) -> list[int]:
        """Allocates ids, which are lost if they are not used."""
        ...

    def writing(self, first: Sequence[Statement]) -> AbstractContextManager[tuple[WriteConnection, list[list[Row]]]]:
        """Begins a transaction with the `first` statements; yields the connection and their rows."""
        ...

    def append(self, append: AppendCommit) -> SnapshotId | None:
        """Commits rows in one round trip, if nothing that matters was committed to the catalog since the base.

        Returns None if that is not possible: nothing was written, and the regular commit determines the reason.
        """
        ...

    def settle(self, lost: OutcomeUnknown) -> None:
        """Ensures that the session whose connection was lost can no longer commit."""
        ...

    def fork(self, request: ForkRequest) -> bool:
        """Forks a catalog in one transaction; returns False if it already existed and that was allowed."""
        ...

    def close(self) -> None: ...
