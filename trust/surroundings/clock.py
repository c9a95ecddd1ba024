"""Clocks that can be set: of this machine, and of the database.

Snapshots have the time of the database. There is one place where it is asked for on each backend, and the functions
in PostgreSQL; this machine's clock counts where an age is given. Both are set here, and nothing else is changed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from unittest.mock import patch

from forklake.api.catalog import CatalogHandle
from forklake.catalog.retention import expiry
from forklake.store.dialect import POSTGRESQL, SQLITE, StoreDialect
from forklake.store.postgres import PostgresStore

_FUNCTIONS = """
    SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = current_schema() AND p.prosrc LIKE '%clock_timestamp()%'"""


class Clock:
    """The clocks of one lake, and by how much they are wrong."""

    def __init__(self, lake: CatalogHandle) -> None:
        self._store = lake._attachment.lake.store
        self._functions: list[str] = []
        if isinstance(self._store, PostgresStore):
            self._functions = [text for (text,) in self._store.fetch(_FUNCTIONS, {})]
        self.machine = timedelta()
        self.database = timedelta()

    @property
    def is_one(self) -> bool:
        """Whether the database has the clock of this machine."""
        return not isinstance(self._store, PostgresStore)

    def set(self, machine: timedelta, database: timedelta) -> None:
        """Make both as wrong as this from now on; where there is but one, as wrong as this machine's."""
        self.machine, self.database = machine, machine if self.is_one else database
        seconds = int(self.database.total_seconds())
        if self.is_one:
            _set(SQLITE, f"strftime('%Y-%m-%d %H:%M:%f', 'now', '{seconds:+d} seconds') || '000+00'")
            return
        wrong = f"(clock_timestamp() + interval '{seconds} seconds')"
        _set(POSTGRESQL, wrong)
        assert isinstance(self._store, PostgresStore)
        self._store.run_script(";\n".join(text.replace("clock_timestamp()", wrong) for text in self._functions))


@contextmanager
def settable_clock(lake: CatalogHandle) -> Iterator[Clock]:
    """Clocks that are right at first, and right again in the end."""
    clock = Clock(lake)
    before = {dialect: dialect.clock for dialect in (SQLITE, POSTGRESQL)}

    class Now(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return datetime.now(tz) + clock.machine

    with patch.object(expiry, "datetime", Now):
        try:
            yield clock
        finally:
            clock.set(timedelta(), timedelta())
            for dialect, text in before.items():
                _set(dialect, text)


def _set(dialect: StoreDialect, text: str) -> None:
    object.__setattr__(dialect, "clock", text)


def real_time() -> datetime:
    return datetime.now(UTC)
