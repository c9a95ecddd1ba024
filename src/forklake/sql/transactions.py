"""The transactions of a session: one for each statement, or one for all of them between BEGIN and COMMIT."""

from collections.abc import Iterator
from contextlib import contextmanager

from forklake.catalog.commit import commit, rollback
from forklake.catalog.lake import Catalog
from forklake.catalog.transaction import Transaction, begin
from forklake.errors import TransactionError
from forklake.model.ids import SnapshotId


class Transactions:
    """At most one open transaction for each attached catalog, and all of them begun and ended together.

    Several catalogs can be read in one transaction, but only one of them can be written: there is no commit that
    two catalogs share.
    """

    def __init__(self) -> None:
        self._open: dict[str, Transaction] | None = None
        self._written: str | None = None
        self._failed = False
        self.committed: dict[str, int] = {}
        """By attachment, the last snapshot that was committed here."""

    @property
    def is_open(self) -> bool:
        return self._open is not None

    def begin(self) -> None:
        if self._open is not None:
            raise TransactionError("cannot start a transaction within a transaction")
        self._open, self._written, self._failed = {}, None, False

    def commit(self) -> dict[str, SnapshotId | None]:
        """Commit; returns the snapshot of each catalog that was used, None where nothing has changed."""
        transactions = self._end("commit")
        if self._failed:
            for transaction in transactions.values():
                rollback(transaction)
            raise TransactionError("A statement of the transaction has failed, so it was rolled back.")
        snapshots = {name: commit(transaction) for name, transaction in transactions.items()}
        self.committed |= {name: snapshot for name, snapshot in snapshots.items() if snapshot is not None}
        return snapshots

    def rollback(self) -> None:
        for transaction in self._end("rollback").values():
            rollback(transaction)

    def current(self, name: str, catalog: Catalog) -> Transaction:
        """The transaction that a statement on this catalog reads in."""
        if self._open is None:
            return begin(catalog)
        if self._failed:
            raise TransactionError("A statement of the transaction has failed; roll it back.")
        if name not in self._open:
            self._open[name] = begin(catalog)
        return self._open[name]

    @contextmanager
    def writing(self, name: str, catalog: Catalog, begun: Transaction | None = None) -> Iterator[Transaction]:
        """The transaction that a statement writes in; without BEGIN, it commits when the block ends well.

        Without BEGIN, one that the statement has begun to read in will do.
        """
        transaction = begun if begun is not None and self._open is None else self.current(name, catalog)
        if self._open is None:
            try:
                yield transaction
                snapshot = commit(transaction)
                if snapshot is not None:
                    self.committed[name] = snapshot
            finally:
                if transaction.is_open:
                    rollback(transaction)
            return
        if self._written not in (None, name):
            raise TransactionError(
                f"Attempting to write to catalog '{name}' in a transaction that has already modified"
                f" '{self._written}': a single transaction can only write to one attached catalog."
            )
        self._written = name
        try:
            yield transaction
        except BaseException:
            # Part of the statement may be staged already, and none of it may be committed.
            self._failed = True
            raise

    def _end(self, what: str) -> dict[str, Transaction]:
        if self._open is None:
            raise TransactionError(f"cannot {what} - no transaction is active")
        ended, self._open = self._open, None
        return ended
