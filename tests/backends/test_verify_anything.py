"""Whatever is done to a tree of catalogs, expiry and clean-up included, leaves nothing to find."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from forklake.catalog.checks.verify import verify_metadata
from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.retention.dropped import collect_dropped, dropped_catalogs, forget_dropped
from forklake.catalog.retention.due_files import delete_due
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.maintenance.verification.verify import verify
from forklake.spark.storage.storage import Storage
from forklake.store import scope
from tests.backends.test_state_machine import LakeMachine, numbers
from tests.effort import examples
from tests.lakes import append, make_table, new_files

EXAMPLES = int(os.environ.get("FORKLAKE_EXAMPLES", examples(25))) // 3
STEPS = 40


class ExpiringMachine(LakeMachine):
    """The machine of the other test, which now also forgets; what it still knows must be as before."""

    @rule(n=numbers, chosen=st.sets(st.integers(0, 30)))
    def expire_some_snapshots(self, n: int, chosen: set[int]) -> None:
        catalog = self._catalog(n)
        found = find_catalog(self.lake, catalog.name)
        own = [kept.snapshot_id for kept in catalog.history if kept.made_by == found.catalog_id]
        ids = [snapshot_id for at, snapshot_id in enumerate(own) if at in chosen]
        expired = {snapshot.snapshot_id for snapshot in expire_snapshots(found, versions=ids)}
        for other in self.model.catalogs.values():
            other.history = [kept for kept in other.history if kept.snapshot_id not in expired]
        self._check(catalog)
        self._verify()

    @rule()
    def clean_up(self) -> None:
        for catalog in self.model.catalogs.values():
            list(delete_due(self.lake, find_catalog(self.lake, catalog.name).catalog_id, None, list))
        for dropped in dropped_catalogs(self.lake):
            collect_dropped(self.lake, dropped)
            list(delete_due(self.lake, dropped.catalog_id, None, list))
            forget_dropped(self.lake, dropped)
        self._verify()

    def teardown(self) -> None:
        self._verify()
        super().teardown()

    def _verify(self) -> None:
        found = {name: verify_metadata(find_catalog(self.lake, name)) for name in self.model.catalogs}
        assert {name: findings for name, findings in found.items() if findings} == {}


def test_whatever_is_done_leaves_nothing_to_find(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "SHORT_CHAIN", 2)

    class OnThisLake(ExpiringMachine):
        pass

    OnThisLake.lake = lake
    run_state_machine_as_test(OnThisLake, settings=settings(max_examples=EXAMPLES, stateful_step_count=STEPS))


@pytest.mark.parametrize("path", ["foo://nowhere/x.parquet", "hdfs://nowhere/x.parquet", "abfss://c@nowhere/x.parquet"])
def test_a_file_whose_storage_cannot_be_reached_is_a_finding_among_others(
    lake: Lake, main: Catalog, tmp_path: Path, path: str
) -> None:
    make_table(main)
    tx = begin(main)
    [new] = new_files(tx, 1)
    file = new.file._replace(path=path, path_is_relative=False)
    tx.append_files(get_table(tx, "main", "t"), [replace(new, file=file)])
    commit(tx)
    append(main)
    found = verify(main, Storage(f"{tmp_path}/"))
    assert [finding.problem for finding in found if finding.path == path] == ["missing_file"]
    assert len(found) == 2
