"""The clock of the database, which is common to all writers."""

from datetime import datetime

from forklake.store.connection import Statement, Store
from forklake.store.dialect import StoreDialect


def clock_statement(dialect: StoreDialect) -> Statement:
    """Selects the current time, in the representation used by the database."""
    return Statement(f"SELECT {dialect.clock}", {})


def database_time(store: Store) -> datetime:
    """The current time of the database."""
    [[[now]]] = store.fetch_all([clock_statement(store.dialect)])
    return store.dialect.from_database_time(now)
