"""Translation of PostgreSQL errors, and their effect on the connection."""

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

# Based on SQLSTATE only: message texts depend on the language of the server.
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
    """Whether the server terminated the session, or that is unknown; then the connection is closed.

    A response with severity ERROR is conclusive, whatever happened to the connection afterwards. But a backend that is
    terminated during COMMIT responds twice, which confuses psycopg: the error has no SQLSTATE, and the connection looks
    alive.
    """
    severity = error.diag.severity_nonlocalized
    if severity == "ERROR":
        return False
    if severity is not None or isinstance(error, psycopg.OperationalError):
        connection.close()
    return connection.closed


def translate_error(error: psycopg.Error, location: str, *, lost: bool = False) -> ForklakeError:
    """The equivalent Forklake error."""
    state = error.sqlstate
    text = error.diag.message_primary or next(iter(str(error).strip().splitlines()), type(error).__name__)
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
            # Out of disk space or memory: the server is reachable and reports it.
            return StoreError(f"{location} lacks required objects: {text}.")
        case psycopg.DataError():
            return InvalidInput(f"The database rejects this value: {text}.")
        case psycopg.OperationalError():
            return StoreUnavailable(f"{location} cannot be reached: {text}")
    return StoreError(f"{location}: {text}")
