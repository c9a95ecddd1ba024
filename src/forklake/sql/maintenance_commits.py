"""The transactions of a session, as maintenance takes them."""

from collections.abc import Iterator
from contextlib import contextmanager

from forklake.maintenance.commits import Commits
from forklake.spark.work import Work
from forklake.sql.attachments import Attachment
from forklake.sql.state import SessionState


def commits_to(state: SessionState, attachment: Attachment) -> Commits:
    """Commits to an attached catalog: many, or none while a transaction is open."""

    def reading() -> Work:
        return state.work(state.transactions.newest(attachment.name, attachment.catalog), attachment)

    @contextmanager
    def writing() -> Iterator[Work]:
        with state.writing(attachment) as tx:
            yield state.work(tx, attachment)

    return Commits(reading, writing, state.transactions.is_open)
