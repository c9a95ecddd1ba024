"""The transactions that maintenance does its work in."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeVar

from forklake.errors import CommitConflict, CommitUnknown, DataError, TransactionError
from forklake.model.ids import TableId
from forklake.spark.remove_files import remove_files
from forklake.spark.work import Work

RETRIES = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Commits:
    """Transactions on one catalog: one for each piece of work, or, for all of it, the one that is open."""

    reading: Callable[[], Work]
    writing: Callable[[], AbstractContextManager[Work]]
    """Commits when the block ends well, unless a transaction was open before."""
    is_open: bool
    """Whatever is done is committed, or not, by whoever has begun the transaction."""

    def carry_out(self, step: Callable[[Work], T], on_conflict: Callable[[], None] = lambda: None) -> T:
        """Do a piece of work and commit it; anew, on what is there then, if another commit got in its way.

        Of what could not be committed no file is left.
        """
        for attempt in range(RETRIES + 1):
            work: Work | None = None
            try:
                with self.writing() as work:
                    return step(work)
            except TransactionError as error:
                if work is not None:
                    self._remove_files(work, error)
                if self.is_open or attempt == RETRIES or not isinstance(error, CommitConflict):
                    raise
                on_conflict()
        raise AssertionError("the last attempt returns or raises")

    def _remove_files(self, work: Work, error: TransactionError) -> None:
        # What is in an open transaction may still be committed, and what is unknown may have been.
        if self.is_open or isinstance(error, CommitUnknown):
            return
        staged = (new.file for changes in work.tx.tables.values() for new in changes.new_files.values())
        remove_files(work.storage, [file.path for file in staged if file.path_is_relative])


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
