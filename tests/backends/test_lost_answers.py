"""A commit that has landed, whose answer was lost, and whose snapshot expires before anybody asks for it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from forklake.catalog.lakes.lake import Catalog, RetrySettings, new_handle
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import CommitUnknown
from forklake.model.files import DataFile, NewDataFile
from forklake.model.ids import DataFileId, SnapshotId
from forklake.sql.session.transactions import Transactions
from forklake.store.connection import AppendCommit, OutcomeUnknown, Row, RowsToInsert, Statement
from tests.backends.counting_store import CountingConnection, CountingStore
from tests.backends.test_expiry import LATER
from tests.lakes import append, file_ids, make_table


class LosingConnection(CountingConnection):
    def commit(self, steps: Sequence[Statement | RowsToInsert]) -> None:
        super().commit(steps)
        cast("LosingStore", self._store).lose()


class LosingStore(CountingStore):
    """Loses the answer of a commit, once, and lets something happen before it can be asked for again."""

    loses = False
    meanwhile: Callable[[], object] = staticmethod(lambda: None)

    def lose(self) -> None:
        if self.loses:
            self.loses = False
            raise OutcomeUnknown("the connection was lost", 0)

    @contextmanager
    def writing(self, first: Sequence[Statement]) -> Iterator[tuple[LosingConnection, list[list[Row]]]]:
        with self._inner.writing(first) as (connection, answers):
            yield LosingConnection(self, connection), answers

    def append(self, append: AppendCommit) -> SnapshotId | None:
        found = super().append(append)
        if found is not None:
            self.lose()
        return found

    def settle(self, lost: OutcomeUnknown) -> None:
        self.meanwhile()


def losing(catalog: Catalog) -> tuple[LosingStore, Catalog]:
    store = LosingStore(catalog.lake.store)

    def meanwhile() -> None:
        append(catalog)
        expire_snapshots(catalog, older_than=LATER)

    store.meanwhile = meanwhile
    return store, replace(catalog, lake=new_handle(store, catalog.lake.data_path, RetrySettings(3, 1, 1)))


def stage_file(tx: Transaction) -> tuple[int, str]:
    [file_id] = tx.new_ids("file")
    path = f"main/main/t/{file_id}.parquet"
    tx.append_files(get_table(tx, "main", "t"), [NewDataFile(DataFile(DataFileId(file_id), path, 10, 1))])
    return file_id, path


def test_nobody_is_told_that_it_did_not_happen(main: Catalog) -> None:
    make_table(main)
    append(main)
    store, catalog = losing(main)
    tx = begin(catalog)
    file_id, _ = stage_file(tx)
    store.loses = True
    with pytest.raises(CommitUnknown):
        commit(tx)
    assert file_id in file_ids(main)


def test_the_files_of_such_a_commit_are_left_alone(main: Catalog, tmp_path: Path) -> None:
    make_table(main)
    append(main)
    store, catalog = losing(replace(main, lake=replace(main.lake, data_path=str(tmp_path))))
    staged: list[tuple[int, Path]] = []

    def write() -> None:
        with Transactions().writing("lake", catalog) as tx:
            file_id, path = stage_file(tx)
            tx.written.paths.add(path)
            staged.append((file_id, tmp_path / path))
            staged[0][1].parent.mkdir(parents=True)
            staged[0][1].write_bytes(b"rows")
            store.loses = True

    with pytest.raises(CommitUnknown):
        write()
    [(file_id, file)] = staged
    assert file_id in file_ids(main)
    assert file.exists()
