"""Maintenance operations on an attached catalog, in the transactions of its session."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from forklake.catalog.transaction.transaction import Transaction
from forklake.maintenance.commits import Commits
from forklake.maintenance.operations import Operation
from forklake.spark.work import Work, storage_of
from forklake.sql.session.attachments import Attachment
from forklake.sql.session.catalog_changes import drop_and_detach, refuse_in_transaction
from forklake.sql.session.state import SessionState


def run_operation(
    state: SessionState, attachment: Attachment, operation: Operation, arguments: Mapping[str, Any], *, called: str
) -> Any:
    """Run an operation; one that cannot be rolled back is refused inside a transaction, unless it is a dry run.

    Errors name it as the user has called it.
    """
    if operation.effect == "final" and not arguments.get("dry_run"):
        refuse_in_transaction(state, called)
    provided = {
        "catalog": lambda: attachment.catalog,
        "lake": lambda: attachment.lake,
        "storage": lambda: storage_of(attachment.lake),
        "commits": lambda: commits_to(state, attachment),
        "drop": lambda: partial(drop_and_detach, state, attachment),
    }
    return operation.run(provided, arguments)


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
