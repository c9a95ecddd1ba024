"""A store that counts what is asked of it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from forklake.catalog.lakes.lake import Catalog, new_handle
from forklake.model.ids import SnapshotId
from forklake.store.connection import (
    AppendCommit,
    ForkRequest,
    OutcomeUnknown,
    Params,
    Row,
    RowsToInsert,
    Statement,
    Store,
    WriteConnection,
)
from forklake.store.dialect import StoreDialect


class CountingStore:
    """Hands everything on. `statements` counts statements and bulk inserts, `trips` the calls that carry them.

    `short` and `long` count the ways that commits took.
    """

    def __init__(self, inner: Store) -> None:
        self._inner = inner
        self.reset()

    def reset(self) -> None:
        self.statements = self.trips = self.short = self.long = 0

    @property
    def dialect(self) -> StoreDialect:
        return self._inner.dialect

    @property
    def read_only(self) -> bool:
        return self._inner.read_only

    @property
    def location(self) -> str:
        return self._inner.location

    @property
    def identity(self) -> str:
        return self._inner.identity

    def fetch(self, sql: str, params: Params) -> list[Row]:
        self.count(1)
        return self._inner.fetch(sql, params)

    def fetch_all(self, statements: Sequence[Statement]) -> list[list[Row]]:
        self.count(len(statements))
        return self._inner.fetch_all(statements)

    def draw_ids(self, sequence: str, count: int) -> list[int]:
        self.count(1)
        return self._inner.draw_ids(sequence, count)

    @contextmanager
    def writing(self, first: Sequence[Statement]) -> Iterator[tuple[WriteConnection, list[list[Row]]]]:
        self.count(len(first))
        with self._inner.writing(first) as (connection, answers):
            yield CountingConnection(self, connection), answers

    def append(self, append: AppendCommit) -> SnapshotId | None:
        self.count(1)
        snapshot_id = self._inner.append(append)
        self.short += snapshot_id is not None
        return snapshot_id

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

    def run_script(self, script: str) -> None:
        self._store.count(1)
        self._inner.run_script(script)

    def commit(self, steps: Sequence[Statement | RowsToInsert]) -> None:
        self._store.count(len(steps))
        self._inner.commit(steps)
        self._store.long += 1


def counted(catalog: Catalog) -> tuple[CountingStore, Catalog]:
    """The catalog on a lake that remembers nothing yet, and what counts there."""
    store = CountingStore(catalog.lake.store)
    return store, replace(catalog, lake=new_handle(store, catalog.lake.data_path))
