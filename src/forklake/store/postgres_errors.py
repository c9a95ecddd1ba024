"""What an error of PostgreSQL means to a caller, and to the connection it came over."""

from typing import Any

import psycopg

from forklake.errors import (
    AlreadyExists,
    ForklakeError,
    ForkMismatch,
    InvalidInput,
    InvalidName,
    NoSuchCatalog,
    NoSuchSnapshot,
    NotALake,
    ReadOnly,
    StoreError,
    StoreUnavailable,
)
from forklake.store.connection import DuplicateRow, TransientFailure

# Judged by SQLSTATE alone: message texts change with the server's language.
_TRANSIENT_STATES = {
    "40001",  # serialization_failure
    "40P01",  # deadlock_detected
    "55P03",  # lock_not_available
    "57P01",  # admin_shutdown
    "57P02",  # crash_shutdown
    "57P03",  # cannot_connect_now
    "53300",  # too_many_connections
}
_OWN_STATES: dict[str, type[ForklakeError]] = {
    "FL001": NoSuchCatalog,
    "FL002": AlreadyExists,
    "FL003": ForkMismatch,
    "FL004": NoSuchSnapshot,
    "FL005": InvalidName,
    "FL006": InvalidInput,
}


def ends_session(connection: psycopg.Connection[Any], error: psycopg.Error) -> bool:
    """Whether the server gave up the session, or nobody can tell: the connection is closed then.

    An answer of severity ERROR says what happened, whatever became of the connection after it. But a backend that is
    told to stop during COMMIT answers twice, and psycopg is confused by the second answer: its error has no SQLSTATE,
    and the connection looks alive.
    """
    severity = error.diag.severity_nonlocalized
    if severity == "ERROR":
        return False
    if severity is not None or isinstance(error, psycopg.OperationalError):
        connection.close()
    return connection.closed


def translate_error(error: psycopg.Error, location: str, *, lost: bool = False) -> ForklakeError:
    """The error of our own tree that says the same."""
    state = error.sqlstate
    text = error.diag.message_primary or str(error).strip().splitlines()[0]
    if state in _OWN_STATES:
        return _OWN_STATES[state](text)
    if state in _TRANSIENT_STATES or lost:
        return TransientFailure(f"{location}: {text}")
    match error:
        case psycopg.errors.UniqueViolation():
            return DuplicateRow(text)
        case psycopg.errors.ReadOnlySqlTransaction() | psycopg.errors.InsufficientPrivilege():
            return ReadOnly(f"{location} cannot be written: {text}.")
        case psycopg.errors.UndefinedTable() | psycopg.errors.InvalidSchemaName():
            return NotALake(f"{location} holds no lake: {text}.")
        case psycopg.errors.UndefinedFunction():
            return NotALake(f"{location} lacks a function of the lake: {text}.")
        case _ if state is not None and state.startswith("53"):
            # The disk is full, or the memory: the server is there, and says so.
            return StoreError(f"{location} lacks what it needs: {text}.")
        case psycopg.DataError():
            return InvalidInput(f"The database does not take this value: {text}.")
        case psycopg.OperationalError():
            return StoreUnavailable(f"{location} cannot be reached: {text}")
    return StoreError(f"{location}: {text}")
