"""A product that breaks its word is caught by the checker; the one we have is not."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.transaction import commit as commits
from forklake.catalog.transaction.commit_checks import check_staged
from forklake.catalog.transaction.transaction import Transaction
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lineage import NO_LIMIT, Level, Lineage, Scope
from forklake.store.garbage import NeededPoints
from trust.history import turns
from trust.history.checker import check
from trust.history.desk import Desk
from trust.history.records import Pen, read_histories
from trust.history.setting import set_up
from trust.history.witness import bear_witness
from trust.history.worker import SHARED, Worker, own_catalog

TURNS = 80
EVERY = 7


class Pair:
    """Two workers of one process: the second takes a turn just before each commit of the first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "histories"
        self._folder.mkdir()
        self._url = f"sqlite:{folder / 'lake.db'}"
        set_up(self._url, self._folder / "00.jsonl", [*SHARED, own_catalog("w0"), own_catalog("w1")])

    def run(self) -> str:
        """All turns, and what the checker says then."""
        lake = open_lake(self._url)
        first, second = (Desk(lake, Pen(self._folder / f"w{n}.jsonl"), random.Random(n)) for n in (3, 4))
        other = Worker("w1", second)

        @contextmanager
        def committing() -> Iterator[None]:
            other.turn()
            yield

        Worker("w0", replace(first, committing=committing)).run(TURNS)
        lake.close()
        bear_witness(self._url, self._folder / "zz.jsonl", 0, 1)
        return "\n".join(check(read_histories(self._folder)))


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def test_the_product_keeps_its_word(pair: Pair) -> None:
    assert pair.run() == ""


def test_a_commit_that_forgets_a_file_is_noticed(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, append = count(1), Transaction.append_files
    monkeypatch.setattr(
        Transaction, "append_files", lambda *given: None if next(calls) % EVERY == 0 else append(*given)
    )
    assert "is None instead of [10, '', 0]" in pair.run()


def test_a_commit_that_is_acknowledged_and_not_made_is_noticed(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, really = count(1), commits._commit_with_retries
    monkeypatch.setattr(
        commits,
        "_commit_with_retries",
        lambda *given: SnapshotId(10**6) if next(calls) % EVERY == 0 else really(*given),
    )
    assert "was acknowledged as snapshot 1000000" in pair.run()


def test_an_update_that_is_lost_is_noticed(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits, "find_conflicts", lambda *given: [])
    monkeypatch.setattr(Worker, "_choose", lambda self: ("change", turns.count, SHARED[0]))
    assert "must not have been committed" in pair.run()


def test_a_read_of_what_came_later_is_noticed(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    really = Lineage.at

    def at(self: Lineage, snapshot_id: SnapshotId, made_by: CatalogId | None = None) -> Scope:
        later = really(self, SnapshotId(min(snapshot_id + 3, NO_LIMIT)), made_by)
        return replace(later, snapshot_id=snapshot_id)

    monkeypatch.setattr(Lineage, "at", at)
    assert "read something else" in pair.run()


def test_a_fork_that_goes_on_with_its_parent_is_noticed(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    def at(self: Lineage, snapshot_id: SnapshotId, made_by: object = None) -> Scope:
        levels = tuple(Level(level.catalog_id, snapshot_id) for level in self.levels)
        return Scope(self.catalog_id, snapshot_id, levels, None)

    monkeypatch.setattr(Lineage, "at", at)
    assert "read something else" in pair.run()


def test_an_error_of_the_driver_that_gets_through_is_noticed(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, really = count(1), check_staged

    def fail(tx: Transaction) -> None:
        if next(calls) % EVERY == 0:
            raise sqlite3.OperationalError("database is locked")
        really(tx)

    monkeypatch.setattr(commits, "check_staged", fail)
    assert "none of Forklake's: OperationalError('database is locked')" in pair.run()


def test_cleanup_that_takes_what_somebody_sees_is_noticed(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NeededPoints, "no_fork_in", lambda self, begin, end: "TRUE")
    monkeypatch.setattr(NeededPoints, "no_point_in", lambda self, begin, end: "TRUE")
    assert "read something else" in pair.run()
