"""A store that counts what is asked of it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from forklake.store.connection import ForkRequest, OutcomeUnknown, Params, Row, Rows, Statement, Store, WriteConnection
from forklake.store.dialect import Dialect


class CountingStore:
    """Hands everything on. `statements` counts statements and bulk inserts, `trips` the calls that carry them."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner
        self.statements = 0
        self.trips = 0

    @property
    def dialect(self) -> Dialect:
        return self._inner.dialect

    @property
    def read_only(self) -> bool:
        return self._inner.read_only

    @property
    def location(self) -> str:
        return self._inner.location

    def fetch(self, sql: str, params: Params) -> list[Row]:
        self.count(1)
        return self._inner.fetch(sql, params)

    def fetch_all(self, statements: Sequence[Statement]) -> list[list[Row]]:
        self.count(len(statements))
        return self._inner.fetch_all(statements)

    @contextmanager
    def writing(self, first: Sequence[Statement]) -> Iterator[tuple[WriteConnection, list[list[Row]]]]:
        self.count(len(first))
        with self._inner.writing(first) as (connection, answers):
            yield CountingConnection(self, connection), answers

    def settle(self, lost: OutcomeUnknown) -> None:
        self._inner.settle(lost)

    def fork(self, request: ForkRequest) -> bool:
        self.count(1)
        return self._inner.fork(request)

    def close(self) -> None:
        self._inner.close()

    def count(self, statements: int) -> None:
        self.statements += statements
        self.trips += 1


class CountingConnection:
    """A transaction whose statements count too."""

    def __init__(self, store: CountingStore, inner: WriteConnection) -> None:
        self._store = store
        self._inner = inner

    def fetch_all(self, statements: Sequence[Statement]) -> list[list[Row]]:
        self._store.count(len(statements))
        return self._inner.fetch_all(statements)

    def commit(self, steps: Sequence[Statement | Rows]) -> None:
        self._store.count(len(steps))
        self._inner.commit(steps)
