"""Transactions of maintenance operations, and the tables that they are for."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeVar

from forklake.catalog.transaction.transaction import Transaction, expiry_conflict, has_expired, read_newest
from forklake.errors import CommitConflict, DataError, NoSuchSnapshot
from forklake.model.ids import TableId
from forklake.spark.work import Work

RETRIES = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """One table, the tables of a schema, or those of a catalog."""

    schema: str | None = None
    table: str | None = None


EVERYWHERE = Place()


@dataclass(frozen=True, slots=True)
class Commits:
    """Transactions on one catalog: a new one for each step, or the open one for all."""

    newest: Callable[[], Transaction]
    """A transaction on the newest snapshot, or the open one."""
    work: Callable[[Transaction], Work]
    writing: Callable[[], AbstractContextManager[Work]]
    """Commits after a successful block, unless a transaction was open before. Without commit, no files are left."""
    is_open: bool
    """Whether a transaction was already open, and is committed or rolled back by its owner."""

    def look(self, read: Callable[[Work], T]) -> T:
        """Read before the work begins; repeated if the snapshot expires in the meantime."""
        if self.is_open:
            return read(self.work(self.newest()))
        return read_newest(self.newest, lambda tx: read(self.work(tx)))

    def carry_out(self, step: Callable[[Work], T], on_conflict: Callable[[], None] = lambda: None) -> T:
        """Execute a step and commit it; repeated on the new state after a conflict with another commit.

        This includes expiry of the snapshot it reads. Steps committed before are kept, and not repeated.
        """
        for attempt in range(RETRIES + 1):
            work: Work | None = None
            try:
                with self.writing() as work:
                    return step(work)
            except CommitConflict:
                if self.is_open or attempt == RETRIES:
                    raise
            except NoSuchSnapshot:
                if self.is_open or work is None or not has_expired(work.tx):
                    raise
                if attempt == RETRIES:
                    raise expiry_conflict(work.tx) from None
            on_conflict()
        raise AssertionError("the last attempt returns or raises")


def for_each_table(tables: Iterable[TableId], run: Callable[[TableId], T]) -> list[T]:
    """The results for all of the tables.

    If a table has a damaged file, or is constantly changed by others, the others are processed nevertheless, and the
    first such error is raised at the end.
    """
    done: list[T] = []
    failures: list[CommitConflict | DataError] = []
    for table_id in tables:
        try:
            done.append(run(table_id))
        except (CommitConflict, DataError) as error:
            failures.append(error)
    if failures:
        raise failures[0]
    return done
