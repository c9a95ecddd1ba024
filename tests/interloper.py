"""Somebody who commits whenever a session has read metadata."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from forklake.api.session import Session
from forklake.catalog.lakes.lake import new_handle
from forklake.store.connection import Params, Row, Statement, Store
from tests.backends.counting_store import CountingStore


class InterruptedStore(CountingStore):
    """Hands everything on, and calls back after each read."""

    def __init__(self, inner: Store, after_read: Callable[[], None]) -> None:
        super().__init__(inner)
        self._after_read = after_read
        self.is_watching = True

    def fetch(self, sql: str, params: Params) -> list[Row]:
        rows = super().fetch(sql, params)
        self._interrupt()
        return rows

    def fetch_all(self, statements: Sequence[Statement]) -> list[list[Row]]:
        rows = super().fetch_all(statements)
        self._interrupt()
        return rows

    def _interrupt(self) -> None:
        if self.is_watching:
            self.is_watching = False
            try:
                self._after_read()
            finally:
                self.is_watching = True


@contextmanager
def interrupted(session: Session, after_read: Callable[[], None]) -> Iterator[None]:
    """Within the block, something happens after each time that the session has read the metadata of a catalog."""
    attachments = session._state.attachments
    before = list(attachments)
    for attachment in before:
        lake = attachment.lake
        store = InterruptedStore(lake.store, after_read)
        catalog = replace(attachment.catalog, lake=new_handle(store, lake.data_path, lake.retry))
        attachments._by_name[attachment.name] = replace(attachment, catalog=catalog)
    try:
        yield
    finally:
        for attachment in before:
            attachments._by_name[attachment.name] = attachment
