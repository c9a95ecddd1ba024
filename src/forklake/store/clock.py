"""The time by the clock of the database, which is the same for all writers."""

from datetime import datetime

from forklake.store.connection import Statement, Store
from forklake.store.dialect import StoreDialect


def clock_statement(dialect: StoreDialect) -> Statement:
    """Asks for the time, in the form in which the database keeps times."""
    return Statement(f"SELECT {dialect.clock}", {})


def database_time(store: Store) -> datetime:
    """The time by the clock of the database."""
    [[[now]]] = store.fetch_all([clock_statement(store.dialect)])
    return store.dialect.from_database_time(now)
