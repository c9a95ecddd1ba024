"""The time by the clock of the database, which is the same for all writers."""

from datetime import datetime

from forklake.store.connection import Statement, Store
from forklake.store.dialect import Dialect


def clock_statement(dialect: Dialect) -> Statement:
    """Asks for the time, in the form in which the database keeps times."""
    return Statement(f"SELECT {dialect.clock}", {})


def database_time(store: Store) -> datetime:
    """The time by the clock of the database."""
    [[[now]]] = store.fetch_all([clock_statement(store.dialect)])
    return store.dialect.time_out(now)
