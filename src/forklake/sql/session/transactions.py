"""Transactions of a session: one per statement, or one for all statements between BEGIN and COMMIT."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import local
from typing import TypeVar

from forklake.catalog.lakes.lake import Catalog, is_same_catalog
from forklake.catalog.reading.view import is_kept
from forklake.catalog.transaction.commit import commit, rollback
from forklake.catalog.transaction.transaction import Transaction, begin, begin_on_known_head
from forklake.errors import CommitConflict, CommitFailed, ForklakeError, NoSuchSnapshot, StoreError, TransactionError
from forklake.maintenance.cleanup.discard_files import discard_files
from forklake.model.ids import SnapshotId
from forklake.spark.storage.data_path_mark import confirm_data_path
from forklake.spark.work import storage_of

_STATEMENT_ATTEMPTS = 5
"""Maximum number of attempts for a statement whose snapshot expires while it runs."""

T = TypeVar("T")


class CatalogTransactions:
    """Transactions by attachment, each begun on first use.

    Attachments of the same catalog read the same snapshot, unless one is attached at its own.
    """

    def __init__(self, *, on_known_heads: bool = False) -> None:
        self.by_name: dict[str, Transaction] = {}
        self._on_known_heads = on_known_heads
        self.assumes_heads = False
        """Whether a transaction began on a head that may not be the newest."""
        self.has_committed = False
        """Whether something is committed, or may be: it must not be repeated."""
        self._ended: set[tuple[Catalog, SnapshotId]] = set()

    def get(self, name: str, catalog: Catalog) -> Transaction:
        if name not in self.by_name and self._on_known_heads:
            self.by_name[name] = self._begin_on_known_head(catalog)
        if name not in self.by_name:
            others = (tx for tx in self.by_name.values() if is_same_catalog(tx.catalog, catalog))
            head = next((tx.view for tx in others if tx.catalog.pinned is None), None)
            self.by_name[name] = begin(catalog, head)
        return self.by_name[name]

    def _begin_on_known_head(self, catalog: Catalog) -> Transaction:
        if self.by_name:
            # The commit verifies only the catalog that it writes to.
            self.assumes_heads = True
            raise CommitConflict("Transaction conflict - the statement names several catalogs", subject=catalog.name)
        transaction = begin_on_known_head(catalog)
        self.assumes_heads = transaction.known_head is not None
        return transaction

    def end(self, catalog: Catalog) -> None:
        """End the transactions on a catalog; new ones begin on next use."""
        for name, transaction in list(self.by_name.items()):
            if is_same_catalog(transaction.catalog, catalog):
                self._ended.add((transaction.catalog, transaction.base))
                self.has_committed |= transaction.may_be_committed
                del self.by_name[name]

    def is_outdated(self, error: ForklakeError) -> bool:
        """Whether the statement may succeed on newer snapshots than these, on which it failed."""
        if self.assumes_heads:
            return not isinstance(error, CommitFailed | StoreError)
        return isinstance(error, NoSuchSnapshot | CommitConflict) and self._has_expired()

    def _has_expired(self) -> bool:
        """Whether a snapshot that was read here has expired."""
        used = {*self._ended, *((tx.catalog, tx.base) for tx in self.by_name.values())}
        return any(catalog.pinned is None and not is_kept(catalog, snapshot_id) for catalog, snapshot_id in used)


class _StatementScope(local):
    """The transactions of the statement that a thread is running; None between statements."""

    transactions: CatalogTransactions | None = None


class Transactions:
    """At most one open transaction per attached catalog, all begun and ended together.

    Several catalogs can be read in one transaction, but only one can be written: there is no atomic commit across
    catalogs.
    """

    def __init__(self) -> None:
        self._open: CatalogTransactions | None = None
        self._statement = _StatementScope()
        self._written: str | None = None
        self._failed = False
        self.committed: dict[str, int] = {}
        """By attachment, the last snapshot committed here."""

    @property
    def is_open(self) -> bool:
        return self._open is not None

    def run(self, statement: Callable[[], T], *, reads_nothing: bool = False) -> T:
        """Run a statement, in which every catalog is read at one snapshot, however often it is named.

        Without BEGIN, a statement whose snapshot expires while it runs is retried on the newest one, unless it has
        committed something. One that `reads_nothing`, and only inserts rows, is first tried on the snapshot that this
        process has committed last: if that fails, but not because of the database, it is repeated on the newest one.
        """
        if self._statement.transactions is not None:
            return statement()
        for attempt in range(_STATEMENT_ATTEMPTS):
            on_known_heads = reads_nothing and attempt == 0 and not self.is_open
            used = self._statement.transactions = CatalogTransactions(on_known_heads=on_known_heads)
            try:
                return statement()
            except ForklakeError as error:
                is_last = self.is_open or used.has_committed or attempt == _STATEMENT_ATTEMPTS - 1
                if is_last or not used.is_outdated(error):
                    raise
            finally:
                self._statement.transactions = None
        raise AssertionError("the last attempt returns or raises")

    def begin(self) -> None:
        if self._open is not None:
            raise TransactionError("cannot start a transaction within a transaction")
        self._open, self._written, self._failed = CatalogTransactions(), None, False

    def commit(self) -> dict[str, SnapshotId | None]:
        """Commit; returns the new snapshot of each catalog used, None if nothing has changed."""
        if self._failed:
            self.rollback()
            raise TransactionError("A statement of the transaction has failed, so it was rolled back.")
        with ExitStack() as ended:
            transactions = self._end("commit")
            for transaction in transactions.values():
                ended.callback(_end_transaction, transaction)
            snapshots = {name: _commit_transaction(transaction) for name, transaction in transactions.items()}
        self.committed |= {name: snapshot for name, snapshot in snapshots.items() if snapshot is not None}
        return snapshots

    def rollback(self) -> None:
        for transaction in self._end("rollback").values():
            _end_transaction(transaction)

    def current(self, name: str, catalog: Catalog) -> Transaction:
        """The transaction in which a statement reads and writes this catalog."""
        if self._open is not None:
            if self._failed:
                raise TransactionError("A statement of the transaction has failed; roll it back.")
            return self._open.get(name, catalog)
        of_statement = self._statement.transactions
        return begin(catalog) if of_statement is None else of_statement.get(name, catalog)

    def newest(self, name: str, catalog: Catalog) -> Transaction:
        """The open transaction, or one on the newest snapshot: for work that makes several commits."""
        if self._open is None and self._statement.transactions is not None:
            self._statement.transactions.end(catalog)
        return self.current(name, catalog)

    @contextmanager
    def writing(self, name: str, catalog: Catalog) -> Iterator[Transaction]:
        """The transaction in which a statement writes; without BEGIN, it commits if the block succeeds.

        A read-only attachment is rejected before anything is written.
        """
        catalog.check_writable()
        transaction = self.current(name, catalog)
        if self._open is None:
            with self._committing(name, transaction):
                yield transaction
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
            # Part of the statement may already be staged, and must not be committed.
            self._failed = True
            raise

    @contextmanager
    def _committing(self, name: str, transaction: Transaction) -> Iterator[None]:
        try:
            yield
            snapshot = _commit_transaction(transaction)
            if snapshot is not None:
                self.committed[name] = snapshot
        finally:
            _end_transaction(transaction)
            if self._statement.transactions is not None:
                self._statement.transactions.end(transaction.catalog)

    def _end(self, what: str) -> dict[str, Transaction]:
        if self._open is None:
            raise TransactionError(f"cannot {what} - no transaction is active")
        ended, self._open, self._failed = self._open, None, False
        return ended.by_name


def _commit_transaction(transaction: Transaction) -> SnapshotId | None:
    lake = transaction.catalog.lake
    if transaction.written and lake.cache.new_marks:
        confirm_data_path(lake, storage_of(lake))
    return commit(transaction)


def _end_transaction(transaction: Transaction) -> None:
    """Roll back if still open, and discard files that are not part of a commit."""
    if transaction.is_open:
        rollback(transaction)
    discard_files(transaction)
