"""The production store: a schema of a PostgreSQL database, through psycopg and its pool."""

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
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from forklake.errors import InvalidInput, ReadOnly, StoreError, StoreUnavailable
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
from forklake.store.dialect import POSTGRESQL, StoreDialect
from forklake.store.postgres_errors import ends_session, translate_error

DEFAULT_SCHEMA = "ducklake"
COPY_FROM = 200
"""From this many rows on, COPY is faster than INSERT."""

_OF_OTHER_PROCESSES: list[object] = []
_READ_ATTEMPTS = 3
_SETTLE_ATTEMPTS = 3
_APPEND = "SELECT lake_append(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s::uuid)"
_INDEX_WALKS = "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off"
_END_IDLE = "SET idle_in_transaction_session_timeout = '60s'"
_DATABASE = """
    SELECT extract(epoch FROM pg_postmaster_start_time())::text, current_setting('port'), oid::text
    FROM pg_database WHERE datname = current_database()"""
"""Which server and database a connection has reached, however they were named. A replica has started by itself."""
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
        """What the newest connection has reached."""
        self._lost: dict[int, float] = {}
        """Sessions whose connection was lost within a transaction, and when: they may hold a lock."""
        # Tried once by hand: the pool would keep trying a wrong password until its time-out.
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
        """Connections stay with the process that has made them."""

    def after_fork(self) -> None:
        if self._own_pool is not None and not self._own_pool.closed:
            # Not closed, nor collected: both would end sessions of the other process.
            _OF_OTHER_PROCESSES.append(self._own_pool)
            self._own_pool = None
        self._lost = {}

    @property
    def _pool(self) -> ConnectionPool[Any]:
        """The connections of this process."""
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
        # A pooled connection may have died since it was last used; reading again does no harm.
        for attempt in range(_READ_ATTEMPTS):
            try:
                with self._connection() as connection:
                    return _run_all(connection, statements)
            except TransientFailure:
                if attempt == _READ_ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")

    @contextmanager
    def writing(self, first: Sequence[Statement]) -> Iterator[tuple["PostgresTransaction", list[list[Row]]]]:
        if self._read_only:
            raise ReadOnly(f"{self.location} is open for reading only.")
        # The first time that takes half a second, which nobody should have to wait for a locked catalog.
        _column_values()
        self._end_lost()
        with self._connection() as connection:
            began = monotonic()
            # READ COMMITTED: after waiting for the row lock, what is read next is what the other committed.
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
        params = (
            append.catalog_id, append.base, payload, str(append.stand_in), append.alters_schema, append.changes,
            info.author, info.message, info.extra_info, append.token,
        )  # fmt: skip
        with self._connection() as connection, _raise_outcome_unknown(connection):
            [(snapshot_id,)] = connection.execute(_APPEND, params).fetchall()
        return None if snapshot_id is None else SnapshotId(snapshot_id)

    def settle(self, lost: OutcomeUnknown) -> None:
        self._end(lost.session)

    def _end(self, session: int, age: float = 0) -> None:
        """End a session, unless it is so young that it is another one with the same number."""
        for _ in range(_SETTLE_ATTEMPTS):
            # False when it did not end in time, and also when it ended just now: the next answer is empty then.
            if all(ended for (ended,) in self.fetch(_TERMINATE, {"pid": session, "age": age})):
                return
        raise TransientFailure(f"{self.location}: the session {session} does not end.")

    def _end_lost(self) -> None:
        """Whoever lost a connection need not have lost it by the server's fault: if the server does not know, the
        session waits for the rest of a statement, with the catalog locked, and is not even idle."""
        for session in list(self._lost):
            since = self._lost.pop(session, None)
            if since is not None:
                # One that we may not end, or that does not end, is met by the write itself, which tells.
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
        """Several statements without parameters, all or none."""
        with self.writing([]) as (transaction, _):
            transaction.run_script(script)
            transaction.commit([])

    def close(self) -> None:
        if self._own_pool is not None:
            self._own_pool.close()

    def _configure(self, connection: psycopg.Connection[Any]) -> None:
        # Named last, temporary tables hide none of the lake's; not named, they would be looked for first.
        path = pgsql.SQL("SET search_path TO {}, pg_temp").format(pgsql.Identifier(self.schema))
        connection.execute(path)
        # Every statement walks an index from a few catalogs. A plan is kept for a connection's life: one made
        # while a table was small would go on reading all of it.
        # And a client that stalls or is cut off with a catalog locked keeps the others out for a minute, not for ever.
        connection.execute(f"{_INDEX_WALKS}; {_END_IDLE}".encode())
        self._database = connection.execute(_DATABASE).fetchone()
        if self._read_only:
            connection.execute("SET default_transaction_read_only = on")

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        try:
            # Not as a context, which would end a transaction: whoever begins one here ends it.
            connection = self._pool.getconn()
        except PoolTimeout as error:
            raise StoreUnavailable(f"{self.location}: no connection could be had within 30 s.") from error
        except PoolClosed as error:
            raise StoreError(f"{self.location} was closed.") from error
        try:
            yield connection
        except psycopg.Error as error:
            lost = ends_session(connection, error)
            raise translate_error(error, self.location, lost=lost) from error
        finally:
            if connection.closed:
                # The others may have died with it, in a restart of the server.
                self._pool.check()
            self._pool.putconn(connection)


class PostgresTransaction:
    """A READ COMMITTED transaction. COMMIT travels with the last writes.

    One pipeline lasts from BEGIN to COMMIT: a server that has been told to flush, which psycopg does when it leaves
    a pipeline, expects more to come, and does not end a session that is idle.
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
        # A pipeline takes one statement at a time.
        self._open.close()
        self._connection.execute(script)
        self._pipeline = self._open.enter_context(self._connection.pipeline())

    def commit(self, steps: Sequence[Statement | RowsToInsert]) -> None:
        connection = self._connection
        updates = [step for step in steps if isinstance(step, Statement)]
        inserts = [step for step in steps if isinstance(step, RowsToInsert)]
        if bulk := [insert for insert in inserts if len(insert.rows) >= COPY_FROM]:
            # COPY cannot travel with others, and what is replaced must have ended before it comes.
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
        """Roll back, unless it was committed."""
        with suppress(psycopg.Error):
            # After a failure, whatever was sent behind it fails again.
            self._open.close()
        try:
            self._connection.rollback()
        except psycopg.Error:
            # A connection that cannot be used for that is used for nothing more.
            self._connection.close()


@contextmanager
def _raise_outcome_unknown(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Around what commits: an error that leaves open whether it happened is raised as OutcomeUnknown."""
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
    """Insert a few rows into each of several tables with one statement, which the server plans once."""
    if steps:
        tables = tuple(step.table for step in steps)
        connection.execute(_insert_into(tables), [_ENCODER.encode(_as_json(step.rows)) for step in steps])


def _as_json(rows: Sequence[Row]) -> list[list[object]]:
    """Floats become text: JSON has no infinity."""
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
    """`:name` parameters in the form psycopg takes."""
    return re.sub(r"(?<![:\w]):(\w+)", r"%(\1)s", sql.replace("%", "%%"))


@lru_cache
def _insert_into(tables: tuple[str, ...]) -> str:
    """Rows travel as JSON arrays, one value for each column, and are cast to the columns' types."""
    values = _column_values()
    inserts = []
    for table in tables:
        inserts.append(f"INSERT INTO {table} SELECT {values(table)} FROM jsonb_array_elements(%s::jsonb) AS t(r)")
    first = ", ".join(f"i{number} AS ({insert})" for number, insert in enumerate(inserts[:-1]))
    return f"WITH {first} {inserts[-1]}" if first else inserts[-1]


def _column_values() -> Callable[[str], str]:
    """Needs the definitions of all tables, which readers never need and should not wait for."""
    from forklake.store.ddl import values_from_json

    return values_from_json


def _describe(conninfo: str, schema: str) -> str:
    """Where the database is, without user or password."""
    try:
        parts = conninfo_to_dict(conninfo)
    except psycopg.Error:
        # Nothing of the cause may be shown: it repeats parts of the string, the password perhaps.
        raise InvalidInput("This is not a PostgreSQL connection string or URL.") from None
    where = f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"
    return f"postgres:{where} (schema {schema})"
