"""Deliberately broken products. Each is planted in a process of its own, or in the server."""

import os
import random
import signal
from collections.abc import Sequence
from unittest.mock import patch

from forklake.catalog.transaction import commit as commits
from forklake.store.connection import RowsToInsert, Statement
from forklake.store.postgres import PostgresTransaction

ASYNCHRONOUS = {"synchronous_commit": "off", "wal_writer_delay": "10s"}
"""Settings of a server that acknowledges commits before they are safe."""


def plant_commits_in_two_steps() -> None:
    """Rows are committed first, and the snapshot that shows them afterwards; some clients die in between."""
    really = PostgresTransaction.commit

    def commit(self: PostgresTransaction, steps: Sequence[Statement | RowsToInsert]) -> None:
        last = [step for step in steps if "lake_snapshot" in _subject(step) or "head_snapshot" in _subject(step)]
        really(self, [step for step in steps if step not in last])
        if random.random() < 0.3:
            os.kill(os.getpid(), signal.SIGKILL)
        self._connection.execute("BEGIN")
        self._pipeline = self._open.enter_context(self._connection.pipeline())
        really(self, last)

    patch.object(PostgresTransaction, "commit", commit).start()


def plant_commits_without_looking_back() -> None:
    """A commit whose answer was lost counts as failed, and is done again."""
    patch.object(commits, "_find_landed_commit", lambda *given: None).start()


def _subject(step: Statement | RowsToInsert) -> str:
    return step.sql if isinstance(step, Statement) else step.table
