"""The embedded store: one SQLite file, shared by any number of processes on one machine."""

import json
import os
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, LifoQueue
from time import monotonic, sleep
from typing import NoReturn

from forklake.errors import NotALake, ReadOnly, StoreError, StoreUnavailable
from forklake.model.entities import UNCOMMITTED
from forklake.model.ids import SnapshotId
from forklake.model.process_forks import register_for_forks
from forklake.store.appends import rows_on_top
from forklake.store.connection import (
    AppendCommit,
    DuplicateRow,
    ForkRequest,
    OutcomeUnknown,
    Params,
    Row,
    RowsToInsert,
    Statement,
    TransientFailure,
)
from forklake.store.dialect import SQLITE, StoreDialect, read_drawn_ids
from forklake.store.fork import fork_with_statements
from forklake.store.options import INSTANCE_VALUES, permits_append
from forklake.store.snapshot_writer import SNAPSHOT_COLUMNS, SnapshotWriter
from forklake.store.snapshots import begin_commit, read_locked_head
from forklake.store.write_queue import Place, WriteQueue

BUSY_TIMEOUT_MS = 5_000
QUEUE_SUFFIX = "-queue"
_SYNCHRONOUS = "FULL"
"""Acknowledged commits survive a power failure."""
_PAUSE_SECONDS = (0.0002, 0.002)


class SqliteStore:
    """A lake in an SQLite file. Connections are pooled; WAL allows reads during a commit."""

    def __init__(self, path: Path, *, read_only: bool = False, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> None:
        self._path = path
        # Later connections use the same file, even if the current directory has changed.
        self._absolute = path.absolute()
        self._read_only = read_only
        self._busy_timeout_ms = busy_timeout_ms
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue()
        self._closed = False
        # One queue for all links to a file, as for the files of SQLite next to it.
        database = self._absolute.resolve()
        self._queue = WriteQueue(database.with_name(f"{database.name}{QUEUE_SUFFIX}"), database)
        self._put_back(self._connect("ro" if read_only else "rwc"))
        self._file = self._file_now()
        register_for_forks(self)

    def before_fork(self) -> None:
        # SQLite tracks its locks per process; a child process would inherit a wrong lock state with the connection.
        self._close_idle()

    def after_fork(self) -> None:
        self._idle = LifoQueue()

    @property
    def dialect(self) -> StoreDialect:
        return SQLITE

    @property
    def read_only(self) -> bool:
        return self._read_only

    @property
    def location(self) -> str:
        return f"sqlite:{self._path}"

    @property
    def identity(self) -> str:
        return f"sqlite:{self._file}"

    def fetch(self, sql: str, params: Params) -> list[Row]:
        with self._connection() as connection:
            return _run(connection, sql, params)

    def fetch_all(self, statements: Sequence[Statement]) -> list[list[Row]]:
        with self._connection() as connection:
            return [_run(connection, statement.sql, statement.params) for statement in statements]

    def draw_ids(self, sequence: str, count: int) -> list[int]:
        # A write like any other, which takes its turn: SQLite itself would wait for the lock in long pauses.
        with self.writing([Statement(SQLITE.next_ids(sequence), {"count": count})]) as (transaction, [rows]):
            transaction.commit([])
        return read_drawn_ids(rows, count)

    @contextmanager
    def writing(self, first: Sequence[Statement]) -> Iterator[tuple["SqliteTransaction", list[list[Row]]]]:
        if self._read_only:
            raise ReadOnly(f"{self.location} is open for reading only.")
        with self._connection() as connection, self._queue.place() as place:
            try:
                # IMMEDIATE takes the write lock before anything is read, so that no read can be stale.
                self._execute_when_free(connection, "BEGIN IMMEDIATE", place)
                transaction = SqliteTransaction(connection)
                yield transaction, transaction.fetch_all(first)
            finally:
                if connection.in_transaction:
                    connection.rollback()

    def _execute_when_free(self, connection: sqlite3.Connection, statement: str, place: Place) -> None:
        """Execute a statement that takes a lock, waiting by polling, as often as the place in the queue permits.

        SQLite's own waiting favours the previous holder even more, and does not exist for a change of the journal mode.
        """
        deadline = monotonic() + self._busy_timeout_ms / 1000
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                is_last = monotonic() > deadline
                try:
                    if place.may_try() or is_last:
                        connection.execute(statement)
                        return
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or is_last:
                        raise
                sleep(random.uniform(*_PAUSE_SECONDS))
        finally:
            connection.execute(f"PRAGMA busy_timeout = {self._busy_timeout_ms}")

    def append(self, append: AppendCommit) -> SnapshotId | None:
        first = [begin_commit(SQLITE, append.catalog_id), INSTANCE_VALUES]
        with self.writing(first) as (transaction, (locked_rows, instance_values)):
            locked = read_locked_head(locked_rows)
            if locked is None or not permits_append(dict(instance_values), append):
                return None
            if append.additions is None:
                rows = append.rows if locked.snapshot_id == append.base else None
            else:
                rows = rows_on_top(transaction, append, locked.snapshot_id, append.additions)
            if rows is None:
                return None
            writer = SnapshotWriter(SQLITE, append.catalog_id, locked.new_snapshot_id)
            time = SQLITE.later(locked.clock, locked.time)
            version = locked.schema_version + append.alters_schema
            writer.record(locked.snapshot_id, time, version, append.changes, append.info, append.token)
            named = [_with_snapshot_id(each, locked.new_snapshot_id) for each in rows]
            transaction.commit([*named, *writer.steps()])
        return locked.new_snapshot_id

    def settle(self, lost: OutcomeUnknown) -> None:
        """Nothing to do: a local file has no session that could commit later."""

    def fork(self, request: ForkRequest) -> bool:
        return fork_with_statements(self, request)

    def run_script(self, script: str) -> None:
        """Execute several statements without parameters atomically."""
        with self._connection() as connection, self._queue.place() as place:
            # Persistent in the file. Set here, and not when opening, which must not modify a database without a lake.
            self._execute_when_free(connection, "PRAGMA journal_mode = WAL", place)
        with self.writing([]) as (transaction, _):
            transaction.run_script(script)
            transaction.commit([])

    def close(self) -> None:
        self._closed = True
        self._close_idle()

    def _close_idle(self) -> None:
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

    def _connect(self, mode: str) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                f"{self._absolute.as_uri()}?mode={mode}",
                uri=True,
                timeout=self._busy_timeout_ms / 1000,
                isolation_level=None,
                check_same_thread=False,
            )
            connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")
        except sqlite3.Error as error:
            self._fail(error)
        return connection

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if self._closed:
            raise StoreError(f"{self.location} was closed.")
        self._check_in_place()
        try:
            connection = self._idle.get_nowait()
        except Empty:
            # Not created if it is missing: it would be empty.
            connection = self._connect("ro" if self._read_only else "rw")
        try:
            yield connection
        except sqlite3.Error as error:
            self._fail(error)
        finally:
            self._put_back(connection)

    def _check_in_place(self) -> None:
        """Without this check, SQLite would continue with an unlinked file, and its commits would be lost."""
        if self._file_now() != self._file:
            raise StoreUnavailable(
                f"{self.location} was deleted, moved or replaced while it was open; put it back, or open it again."
            )

    def _file_now(self) -> tuple[int, int] | None:
        """The identity of the file at the path of the database."""
        try:
            found = os.stat(self._absolute)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreUnavailable(f"{self.location} cannot be accessed: {error.strerror}.") from error
        return found.st_dev, found.st_ino

    def _put_back(self, connection: sqlite3.Connection) -> None:
        # An interrupt may have come between a transaction and its rollback; its lock would keep out all other writers.
        if self._closed or connection.in_transaction:
            connection.close()
        else:
            self._idle.put(connection)

    def _fail(self, error: sqlite3.Error) -> NoReturn:
        """Raise the equivalent Forklake error."""
        code = getattr(error, "sqlite_errorcode", None)
        primary = None if code is None else code & 0xFF
        if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise TransientFailure(f"{self.location} is locked by another process.") from error
        if code in (sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY):
            raise DuplicateRow(str(error)) from error
        if primary == sqlite3.SQLITE_READONLY and self._read_only:
            raise StoreUnavailable(
                f"{self.location} cannot be read: SQLite creates files beside it for readers, too, so they need the"
                " permission to write to its folder."
            ) from error
        if primary == sqlite3.SQLITE_READONLY:
            raise ReadOnly(f"{self.location} cannot be written: {error}.") from error
        if primary == sqlite3.SQLITE_CANTOPEN:
            raise StoreUnavailable(
                f"{self.location} cannot be opened: check the folder and its permissions."
            ) from error
        if primary in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise NotALake(f"{self.location} is not a SQLite database, or is damaged: {error}.") from error
        raise StoreError(f"{self.location}: {error}.") from error


class SqliteTransaction:
    """The single current writer."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def fetch_all(self, statements: Sequence[Statement]) -> list[list[Row]]:
        return [_run(self._connection, statement.sql, statement.params) for statement in statements]

    def run_script(self, script: str) -> None:
        # `executescript` would commit the preceding statements.
        for statement in _split_script(script):
            self._connection.execute(statement)

    def commit(self, steps: Sequence[Statement | RowsToInsert]) -> None:
        for step in steps:
            match step:
                case Statement(sql, params):
                    _run(self._connection, sql, params)
                case RowsToInsert(table, rows) if rows:
                    marks = ", ".join("?" * len(rows[0]))
                    self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        self._connection.execute("COMMIT")


def _split_script(script: str) -> Iterator[str]:
    """The statements of a script, each of which begins on a new line."""
    statement = ""
    for line in script.split("\n"):
        statement += f"{line}\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    yield statement


def _with_snapshot_id(rows: RowsToInsert, snapshot_id: SnapshotId) -> RowsToInsert:
    """The same rows with the id of the snapshot, which was not allocated yet when they were made."""
    positions = SNAPSHOT_COLUMNS.get(rows.table, ())
    found = [list(row) for row in rows.rows]
    for row in found:
        for position in positions:
            if row[position] == UNCOMMITTED:
                row[position] = snapshot_id
    return RowsToInsert(rows.table, [tuple(row) for row in found])


def _run(connection: sqlite3.Connection, sql: str, params: Params) -> list[Row]:
    bound = {name: json.dumps(value) if isinstance(value, list) else value for name, value in params.items()}
    return connection.execute(sql, bound).fetchall()
