"""The transactions that maintenance does its work in."""

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
class Commits:
    """Transactions on one catalog: one for each piece of work, or, for all of it, the one that is open."""

    newest: Callable[[], Transaction]
    """On the newest snapshot, or the one that is open."""
    work: Callable[[Transaction], Work]
    writing: Callable[[], AbstractContextManager[Work]]
    """Commits when the block ends well, unless a transaction was open before. What is not committed leaves no file."""
    is_open: bool
    """Whatever is done is committed, or not, by whoever has begun the transaction."""

    def look(self, read: Callable[[Work], T]) -> T:
        """What is found before the work begins; anew, if its snapshot expires meanwhile."""
        if self.is_open:
            return read(self.work(self.newest()))
        return read_newest(self.newest, lambda tx: read(self.work(tx)))

    def carry_out(self, step: Callable[[Work], T], on_conflict: Callable[[], None] = lambda: None) -> T:
        """Do a piece of work and commit it; anew, on what is there then, if another commit got in its way.

        So it is if the snapshot that it reads has expired: what was committed before it stays, and is not done again.
        """
        for attempt in range(RETRIES + 1):
            try:
                with self.writing() as work:
                    return step(work)
            except CommitConflict:
                if self.is_open or attempt == RETRIES:
                    raise
            except NoSuchSnapshot:
                if self.is_open or not has_expired(work.tx):
                    raise
                if attempt == RETRIES:
                    raise expiry_conflict(work.tx) from None
            on_conflict()
        raise AssertionError("the last attempt returns or raises")


def for_each_table(tables: Iterable[TableId], run: Callable[[TableId], T]) -> list[T]:
    """What is done for each of the tables.

    If one of them has a damaged file, or others change it all the time, the rest is done nevertheless, and then the
    first such error is raised.
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
