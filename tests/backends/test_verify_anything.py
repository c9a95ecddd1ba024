"""Whatever is done to a tree of catalogs, expiry and clean-up included, leaves nothing to find."""

import os

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from forklake.catalog.checks.verify import verify_metadata
from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.retention.dropped import collect_dropped, dropped_catalogs, forget_dropped
from forklake.catalog.retention.due_files import delete_due
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.store import scope
from tests.backends.test_state_machine import LakeMachine, numbers
from tests.effort import examples

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
