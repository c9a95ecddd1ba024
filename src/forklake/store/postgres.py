"""The production store: a schema of a PostgreSQL database, accessed through a psycopg pool."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache, partial
from time import monotonic
from typing import Any

import psycopg
from psycopg import sql as pgsql
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import InsufficientPrivilege, UndefinedFunction
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from forklake.errors import InvalidInput, ReadOnly, StoreError, StoreUnavailable
from forklake.model.documents import write_additions
from forklake.model.ids import SnapshotId
from forklake.model.process_forks import register_for_forks
from forklake.store.connection import (
    AppendCommit,
    ForkRequest,
    OutcomeUnknown,
    Params,
    Row,
    RowsToInsert,
    Statement,
    TransientFailure,
)
from forklake.store.dialect import POSTGRESQL, StoreDialect, read_drawn_ids
from forklake.store.postgres_errors import ends_session, translate_error

DEFAULT_SCHEMA = "ducklake"
COPY_FROM = 200
"""From this number of rows, COPY is faster than INSERT."""

_OF_OTHER_PROCESSES: list[object] = []
_READ_ATTEMPTS = 3
_SETTLE_ATTEMPTS = 3
_APPEND = "SELECT lake_append(%s, %s, %s::jsonb, %s::jsonb, %s, %s, %s, %s, %s, %s::uuid)"
_APPEND_WITH_OPTIONS = (
    f"{_APPEND} WHERE %s::jsonb = (SELECT coalesce(jsonb_object_agg(key, value), '{{}}') FROM lake_instance_option)"
)
"""The same, if the options of the instance are these."""
_INDEX_WALKS = "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off"
_END_IDLE = "SET idle_in_transaction_session_timeout = '60s'"
_DATABASE = """
    SELECT extract(epoch FROM pg_postmaster_start_time())::text, current_setting('port'), oid::text
    FROM pg_database WHERE datname = current_database()"""
"""Identifies the server and database of a connection, regardless of their names. A replica has its own start time."""
_TERMINATE = """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE pid = :pid AND datname = current_database() AND usename = session_user
    AND backend_start <= clock_timestamp() - make_interval(secs => :age)"""


class PostgresStore:
    """A lake in a schema of a PostgreSQL database. Connections are opened as needed, up to `max_connections`."""

    def __init__(
        self,
        conninfo: str,
        *,
        schema: str = DEFAULT_SCHEMA,
        read_only: bool = False,
        max_connections: int = 16,
    ) -> None:
        self.schema = schema
        self._read_only = read_only
        self._location = _describe(conninfo, schema)
        self._database: tuple[str, ...] | None = None
        """The server and database of the newest connection."""
        self._lost: dict[int, float] = {}
        """Sessions whose connection was lost in a transaction, and since when: they may hold a lock."""
        # Connect once directly: the pool would retry a wrong password until its timeout.
        try:
            with psycopg.connect(conninfo, connect_timeout=10):
                pass
        except psycopg.Error as error:
            raise translate_error(error, self.location) from error
        self._new_pool = partial(
            ConnectionPool,
            conninfo,
            min_size=0,
            max_size=max_connections,
            num_workers=1,
            timeout=30,
            max_idle=300,
            kwargs={"autocommit": True},
            configure=self._configure,
            open=True,
        )
        self._own_pool: ConnectionPool[Any] | None = self._new_pool()
        register_for_forks(self)

    def before_fork(self) -> None:
        """Nothing to do: connections remain with the process that opened them."""

    def after_fork(self) -> None:
        if self._own_pool is not None and not self._own_pool.closed:
            # Neither closed nor garbage-collected: both would terminate sessions of the parent process.
            _OF_OTHER_PROCESSES.append(self._own_pool)
            self._own_pool = None
        self._lost = {}

    @property
    def _pool(self) -> ConnectionPool[Any]:
        """The connection pool of this process."""
        if self._own_pool is None:
            self._own_pool = self._new_pool()
        return self._own_pool

    @property
    def dialect(self) -> StoreDialect:
        return POSTGRESQL

    @property
    def read_only(self) -> bool:
        return self._read_only

    @property
    def location(self) -> str:
        return self._location

    @property
    def identity(self) -> str:
        if self._database is None:
            self.fetch("SELECT 1", {})
        return f"postgres:{self._database}:{self.schema}"

    def fetch(self, sql: str, params: Params) -> list[Row]:
        return self.fetch_all([Statement(sql, params)])[0]

    def fetch_all(self, statements: Sequence[Statement]) -> list[list[Row]]:
        # A pooled connection may have died since its last use; reads can be repeated safely.
        for attempt in range(_READ_ATTEMPTS):
            try:
                with self._connection() as connection:
                    return _run_all(connection, statements)
            except TransientFailure:
                if attempt == _READ_ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")

    def draw_ids(self, sequence: str, count: int) -> list[int]:
        return read_drawn_ids(self.fetch(POSTGRESQL.next_ids(sequence), {"count": count}), count)

    @contextmanager
    def writing(self, first: Sequence[Statement]) -> Iterator[tuple["PostgresTransaction", list[list[Row]]]]:
        if self._read_only:
            raise ReadOnly(f"{self.location} is open for reading only.")
        # The first call takes half a second; made before a catalog is locked.
        _column_values()
        self._end_lost()
        with self._connection() as connection:
            began = monotonic()
            # READ COMMITTED: statements after the wait for the row lock see what the other transaction committed.
            begin = Statement("BEGIN ISOLATION LEVEL READ COMMITTED", {})
            transaction, session = PostgresTransaction(connection), connection.info.backend_pid
            try:
                yield transaction, transaction.fetch_all([begin, *first])[1:]
            finally:
                transaction.end()
                if connection.closed:
                    self._lost[session] = began

    def append(self, append: AppendCommit) -> SnapshotId | None:
        if self._read_only:
            raise ReadOnly(f"{self.location} is open for reading only.")
        self._end_lost()
        if any(len(rows.rows) >= COPY_FROM for rows in append.rows):
            return None
        info = append.info
        payload = _ENCODER.encode({rows.table: _as_json(rows.rows) for rows in append.rows})
        additions = None if append.additions is None else write_additions(append.additions)
        sql, params = _APPEND, [
            append.catalog_id, append.base, payload, additions, append.alters_schema, append.changes,
            info.author, info.message, info.extra_info, append.token,
        ]  # fmt: skip
        if append.instance_options is not None:
            sql, params = _APPEND_WITH_OPTIONS, [*params, _ENCODER.encode(append.instance_options)]
        with self._connection() as connection, _raise_outcome_unknown(connection):
            try:
                found = connection.execute(sql, params).fetchone()
            except (InsufficientPrivilege, UndefinedFunction):
                # A migration replaces the function. Whoever may not call it commits in several round trips.
                return None
        return None if found is None or found[0] is None else SnapshotId(found[0])

    def settle(self, lost: OutcomeUnknown) -> None:
        self._end(lost.session)

    def _end(self, session: int, age: float = 0) -> None:
        """Terminate a session, unless it is younger than `age` and thus another session with the same pid."""
        for _ in range(_SETTLE_ATTEMPTS):
            # False if it did not end in time, but also if it ended just now: then the next result is empty.
            if all(ended for (ended,) in self.fetch(_TERMINATE, {"pid": session, "age": age})):
                return
        raise TransientFailure(f"{self.location}: session {session} cannot be terminated.")

    def _end_lost(self) -> None:
        """Terminate the sessions of lost connections.

        If the server did not notice the loss, the session still waits for the rest of a statement, with the catalog
        locked, and does not even count as idle.
        """
        for session in list(self._lost):
            since = self._lost.pop(session, None)
            if since is not None:
                # If a session cannot be terminated, the write itself runs into it and reports the error.
                with suppress(StoreError, TransientFailure):
                    self._end(session, monotonic() - since)

    def fork(self, request: ForkRequest) -> bool:
        statement = Statement(
            "SELECT created FROM ducklake_fork_catalog("
            ":parent, :name, :version, :timestamp, :if_not_exists, CAST(:uuid AS uuid))",
            {
                "parent": request.parent,
                "name": request.name,
                "version": request.version,
                "timestamp": None if request.timestamp is None else POSTGRESQL.to_database_time(request.timestamp),
                "if_not_exists": request.if_not_exists,
                "uuid": request.uuid,
            },
        )
        if self._read_only:
            raise ReadOnly(f"{self.location} is open for reading only.")
        with self._connection() as connection, _raise_outcome_unknown(connection):
            [[(created,)]] = _run_all(connection, [statement])
        return bool(created)

    def run_script(self, script: str) -> None:
        """Execute several statements without parameters atomically."""
        with self.writing([]) as (transaction, _):
            transaction.run_script(script)
            transaction.commit([])

    def close(self) -> None:
        if self._own_pool is not None:
            self._own_pool.close()

    def _configure(self, connection: psycopg.Connection[Any]) -> None:
        # With pg_temp last, temporary tables cannot shadow those of the lake; if omitted, it would be searched first.
        path = pgsql.SQL("SET search_path TO {}, pg_temp").format(pgsql.Identifier(self.schema))
        connection.execute(path)
        # Every statement is an index scan starting from a few catalogs. Plans are cached for the life of a connection:
        # one made while a table was small would continue to scan all of it. A client that stalls or is cut off while it
        # holds the lock of a catalog blocks others for a minute, not forever.
        connection.execute(f"{_INDEX_WALKS}; {_END_IDLE}".encode())
        self._database = connection.execute(_DATABASE).fetchone()
        if self._read_only:
            connection.execute("SET default_transaction_read_only = on")

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        try:
            # Not used as a context manager, which would end a transaction: those who begin one here also end it.
            connection = self._pool.getconn()
        except PoolTimeout as error:
            raise StoreUnavailable(f"{self.location}: no connection became available within 30 s.") from error
        except PoolClosed as error:
            raise StoreError(f"{self.location} was closed.") from error
        try:
            yield connection
        except psycopg.Error as error:
            lost = ends_session(connection, error)
            raise translate_error(error, self.location, lost=lost) from error
        finally:
            if connection.closed:
                # The other connections may have died too, if the server was restarted.
                self._pool.check()
            self._pool.putconn(connection)


class PostgresTransaction:
    """A READ COMMITTED transaction. COMMIT is sent together with the last writes.

    A single pipeline lasts from BEGIN to COMMIT: after a flush request, which psycopg sends when it leaves a pipeline,
    the server expects more messages and does not terminate the session when it is idle.
    """

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._open = ExitStack()
        self._pipeline = self._open.enter_context(connection.pipeline())

    def fetch_all(self, statements: Sequence[Statement]) -> list[list[Row]]:
        cursors = _send_all(self._connection, statements)
        self._pipeline.sync()
        return [_fetch_rows(cursor) for cursor in cursors]

    def run_script(self, script: str) -> None:
        # A pipeline accepts only single statements.
        self._open.close()
        self._connection.execute(script)
        self._pipeline = self._open.enter_context(self._connection.pipeline())

    def commit(self, steps: Sequence[Statement | RowsToInsert]) -> None:
        connection = self._connection
        updates = [step for step in steps if isinstance(step, Statement)]
        inserts = [step for step in steps if isinstance(step, RowsToInsert)]
        if bulk := [insert for insert in inserts if len(insert.rows) >= COPY_FROM]:
            # COPY cannot be pipelined, and replaced rows must be ended before it.
            with self._open:
                _send_all(connection, updates)
            updates = []
            for insert in bulk:
                _copy(connection, insert)
            self._open.enter_context(connection.pipeline())
        with _raise_outcome_unknown(connection), self._open:
            _send_all(connection, updates)
            _insert(connection, [insert for insert in inserts if len(insert.rows) < COPY_FROM])
            connection.execute("COMMIT")

    def end(self) -> None:
        """Roll back unless committed."""
        with suppress(psycopg.Error):
            # After a failure, everything sent after it fails too.
            self._open.close()
        try:
            self._connection.rollback()
        except psycopg.Error:
            # A connection that cannot roll back must not be used again.
            self._connection.close()


@contextmanager
def _raise_outcome_unknown(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Wraps a commit: an error that leaves its outcome unknown is raised as OutcomeUnknown."""
    session = connection.info.backend_pid
    try:
        yield
    except psycopg.Error as error:
        if ends_session(connection, error):
            raise OutcomeUnknown("The connection was lost during COMMIT.", session) from error
        raise


def _run_all(connection: psycopg.Connection[Any], statements: Sequence[Statement]) -> list[list[Row]]:
    if len(statements) == 1:
        return [_fetch_rows(connection.execute(native_sql(statements[0].sql), statements[0].params))]
    with connection.pipeline():
        cursors = _send_all(connection, statements)
    return [_fetch_rows(cursor) for cursor in cursors]


def _send_all(connection: psycopg.Connection[Any], statements: Sequence[Statement]) -> list[psycopg.Cursor[Any]]:
    return [connection.execute(native_sql(statement.sql), statement.params) for statement in statements]


def _fetch_rows(cursor: psycopg.Cursor[Any]) -> list[Row]:
    return cursor.fetchall() if cursor.rownumber is not None else []


def _insert(connection: psycopg.Connection[Any], steps: Sequence[RowsToInsert]) -> None:
    """Insert a few rows into several tables with a single statement, which the server plans once."""
    if steps:
        tables = tuple(step.table for step in steps)
        connection.execute(_insert_into(tables), [_ENCODER.encode(_as_json(step.rows)) for step in steps])


def _as_json(rows: Sequence[Row]) -> list[list[object]]:
    """Rows as JSON; floats become text, because JSON has no infinity."""
    return [[repr(value) if value.__class__ is float else value for value in row] for row in rows]


def _json_default(value: object) -> str:
    return f"\\x{value.hex()}" if isinstance(value, bytes) else str(value)


_ENCODER = json.JSONEncoder(separators=(",", ":"), default=_json_default)


def _copy(connection: psycopg.Connection[Any], step: RowsToInsert) -> None:
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {step.table} FROM STDIN") as copy,
    ):
        for row in step.rows:
            copy.write_row(row)


@lru_cache(maxsize=2048)
def native_sql(sql: str) -> str:
    """Converts `:name` parameters to the syntax of psycopg."""
    return re.sub(r"(?<![:\w]):(\w+)", r"%(\1)s", sql.replace("%", "%%"))


@lru_cache
def _insert_into(tables: tuple[str, ...]) -> str:
    """Rows are passed as JSON arrays with one value per column, and cast to the types of the columns."""
    values = _column_values()
    inserts = []
    for table in tables:
        inserts.append(f"INSERT INTO {table} SELECT {values(table)} FROM jsonb_array_elements(%s::jsonb) AS t(r)")
    first = ", ".join(f"i{number} AS ({insert})" for number, insert in enumerate(inserts[:-1]))
    return f"WITH {first} {inserts[-1]}" if first else inserts[-1]


def _column_values() -> Callable[[str], str]:
    """Imported late: requires the definitions of all tables, which readers do not need."""
    from forklake.store.ddl import values_from_json

    return values_from_json


def _describe(conninfo: str, schema: str) -> str:
    """The location of the database, without user and password."""
    try:
        parts = conninfo_to_dict(conninfo)
    except psycopg.Error:
        # The cause must not be shown: it repeats parts of the string, possibly the password.
        raise InvalidInput("This is not a PostgreSQL connection string or URL.") from None
    where = f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"
    return f"postgres:{where} (schema {schema})"
