"""The transactions of a session, as maintenance takes them."""

from collections.abc import Iterator
from contextlib import contextmanager

from forklake.maintenance.commits import Commits
from forklake.spark.session import SparkHolder
from forklake.spark.work import Work, work_on
from forklake.sql.attachments import Attachment
from forklake.sql.transactions import Transactions


def commits_to(attachment: Attachment, transactions: Transactions, holder: SparkHolder) -> Commits:
    """Commits to an attached catalog: many, or none while a transaction is open."""

    def reading() -> Work:
        return work_on(transactions.current(attachment.name, attachment.catalog), holder, attachment.defaults)

    @contextmanager
    def writing() -> Iterator[Work]:
        with transactions.writing(attachment.name, attachment.catalog) as tx:
            yield work_on(tx, holder, attachment.defaults)

    return Commits(reading, writing, transactions.is_open)
