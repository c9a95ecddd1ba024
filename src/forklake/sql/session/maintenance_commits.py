"""Adapts the transactions of a session for maintenance."""

from collections.abc import Iterator
from contextlib import contextmanager

from forklake.catalog.transaction.transaction import Transaction
from forklake.maintenance.compaction.commits import Commits
from forklake.spark.work import Work
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.state import SessionState


def commits_to(state: SessionState, attachment: Attachment) -> Commits:
    """Commits to an attached catalog: several, or none while a transaction is open."""

    def newest() -> Transaction:
        return state.transactions.newest(attachment.name, attachment.catalog)

    def work(tx: Transaction) -> Work:
        return state.work(tx, attachment)

    @contextmanager
    def writing() -> Iterator[Work]:
        with state.writing(attachment) as tx:
            yield work(tx)

    return Commits(newest, work, writing, state.transactions.is_open)
