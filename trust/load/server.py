"""What the database says of the sessions."""

from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import quote

import psycopg

from trust.load.soak import APPLICATION

_CONNECTIONS = """
    SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity
    WHERE application_name = %s AND datname = current_database()"""


def named_url(url: str) -> str:
    """The same database, and connections that can be told from those of others."""
    return f"{url}{'&' if '?' in url else '?'}application_name={quote(APPLICATION)}"


@dataclass(frozen=True, slots=True)
class Connections:
    """Connections of the soak at a moment."""

    open: int
    busy: int
    """Those that are not idle: at work, or in a transaction that somebody has left open."""


NONE = Connections(0, 0)


class Server:
    """A connection of our own, under another name, that only looks."""

    def __init__(self, url: str) -> None:
        address = url.removeprefix("postgres:")
        self._connection = psycopg.connect(address, autocommit=True, application_name=f"{APPLICATION}-lead")

    def connections(self) -> Connections:
        row = self._connection.execute(_CONNECTIONS, [APPLICATION]).fetchone()
        assert row is not None
        return Connections(*row)

    def size(self) -> int:
        """Bytes of the whole database."""
        row = self._connection.execute("SELECT pg_database_size(current_database())").fetchone()
        assert row is not None
        return int(row[0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._connection.close()
