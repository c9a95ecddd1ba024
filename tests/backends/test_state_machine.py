"""Random trees of catalogs on a real lake, step by step against the model that copies everything."""

import itertools
import os
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from forklake.catalog.lakes.catalogs import catalog_info, create_catalog, drop_catalog, find_catalog, rename_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.transaction.commit import commit, rollback
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.store import scope
from forklake.store.connection import Statement
from tests.backends.lake_actions import (
    DDL,
    DELETES,
    EVERYTHING,
    INSERTS,
    Action,
    create,
    delete_inlined,
    end_file,
    insert,
    insert_inlined,
    pick,
    real,
)
from tests.backends.model_lake import (
    Kept,
    ModelCatalog,
    ModelLake,
    State,
    check_everything,
    check_head,
    check_own_changes,
    check_past,
)
from tests.effort import examples
from tests.lakes import new_files

EXAMPLES = int(os.environ.get("FORKLAKE_EXAMPLES", examples(25)))
STEPS = 50
MOST_CATALOGS = 8

numbers = st.integers(0, 10_000)


class LakeMachine(RuleBasedStateMachine):
    """Every step changes one catalog; then that one, and another one now or in the past, must equal the model."""

    lake: Lake
    names = itertools.count(1)
    steps = 0

    def __init__(self) -> None:
        super().__init__()
        self.model = ModelLake()

    @initialize()
    def begin_with_a_table(self) -> None:
        self._create_catalog()
        for action in (create, insert, insert_inlined):
            self._transact(0, [(action, 0)])

    @rule(n=numbers, action=st.sampled_from(INSERTS))
    def insert_rows(self, n: int, action: Action) -> None:
        self._transact(n, [(action, n)])

    @rule(n=numbers, action=st.sampled_from(DELETES))
    def delete_rows(self, n: int, action: Action) -> None:
        self._transact(n, [(action, n)])

    @rule(n=numbers, action=st.sampled_from(DDL))
    def change_a_table(self, n: int, action: Action) -> None:
        self._transact(n, [(action, n)])

    @rule(n=numbers, actions=st.lists(st.tuples(st.sampled_from(EVERYTHING), numbers), min_size=2, max_size=6))
    def change_several_things(self, n: int, actions: list[tuple[Action, int]]) -> None:
        self._transact(n, actions)

    @rule(n=numbers, actions=st.lists(st.tuples(st.sampled_from(EVERYTHING), numbers), min_size=1, max_size=3))
    def change_nothing_after_all(self, n: int, actions: list[tuple[Action, int]]) -> None:
        catalog = self._catalog(n)
        tx = begin(find_catalog(self.lake, catalog.name))
        state = deepcopy(catalog.state)
        for action, number in actions:
            action(tx, state, number)
        rollback(tx)
        self._check(catalog)

    @rule(n=numbers)
    def merge_the_files_of_a_table(self, n: int) -> None:
        catalog = self._catalog(n)
        if (picked := pick(catalog.state, n)) is None or not picked[1].files:
            return self._check(catalog)
        tx = begin(find_catalog(self.lake, catalog.name))
        table, state = real(tx, picked[1]), deepcopy(catalog.state)
        tx.compact(table, "merge")
        [new] = new_files(tx, 1)
        rows = sum(rows - deleted for rows, deleted in picked[1].files.values())
        tx.end_files(table, tx.files(picked[0]))
        tx.append_files(table, [replace(new, file=new.file._replace(record_count=rows))])
        state[picked[0]].files = {new.file.data_file_id: (rows, 0)}
        return self._commit(catalog, tx, state)

    @precondition(lambda self: len(self.model.catalogs) < MOST_CATALOGS)
    @rule()
    def create_a_catalog(self) -> None:
        self._check(self._create_catalog())

    @precondition(lambda self: len(self.model.catalogs) < MOST_CATALOGS)
    @rule(n=numbers)
    def fork_at_the_head(self, n: int) -> None:
        catalog = self._catalog(n)
        self._fork(catalog, catalog.history[-1], version=None)

    @precondition(lambda self: len(self.model.catalogs) < MOST_CATALOGS)
    @rule(n=numbers, back=numbers)
    def fork_in_the_past(self, n: int, back: int) -> None:
        catalog = self._catalog(n)
        kept = catalog.history[back % len(catalog.history)]
        self._fork(catalog, kept, version=kept.snapshot_id)

    @precondition(lambda self: len(self.model.catalogs) > 2)
    @rule(n=numbers)
    def drop_a_catalog(self, n: int) -> None:
        name = self._catalog(n).name
        drop_catalog(self.lake, name)
        self.model.drop(name)
        self._check(self._catalog(n))

    @rule(n=numbers)
    def rename_a_catalog(self, n: int) -> None:
        catalog = self._catalog(n)
        name = self._unused_name()
        rename_catalog(self.lake, catalog.name, name)
        self.model.rename(catalog.name, name)
        self._check(catalog)

    def teardown(self) -> None:
        check_everything(self.lake, self.model)
        for name in self.model.catalogs:
            drop_catalog(self.lake, name)

    def _catalog(self, n: int) -> ModelCatalog:
        return list(self.model.catalogs.values())[n % len(self.model.catalogs)]

    def _unused_name(self) -> str:
        return f"catalog {next(LakeMachine.names)}"

    def _create_catalog(self) -> ModelCatalog:
        created = create_catalog(self.lake, self._unused_name())
        self.model.create(created.name, created.catalog_id, catalog_info(created).begin_snapshot)
        return self.model.catalogs[created.name]

    def _fork(self, parent: ModelCatalog, kept: Kept, version: int | None) -> None:
        fork, created = fork_catalog(self.lake, parent.name, self._unused_name(), version=version)
        assert created
        self.model.fork(parent, fork.name, fork.catalog_id, catalog_info(fork).begin_snapshot, kept)
        self._check(self.model.catalogs[fork.name])

    def _transact(self, n: int, actions: list[tuple[Action, int]]) -> None:
        catalog = self._catalog(n)
        tx = begin(find_catalog(self.lake, catalog.name))
        state = deepcopy(catalog.state)
        for action, number in actions:
            action(tx, state, number)
        if len(actions) > 1:
            check_own_changes(tx, state)
        self._commit(catalog, tx, state)

    def _commit(self, catalog: ModelCatalog, tx: Transaction, state: State) -> None:
        snapshot_id = commit(tx)
        assert (snapshot_id is None) == (state == catalog.state), "a snapshot exactly if something changed"
        if snapshot_id is not None:
            assert snapshot_id > catalog.history[-1].snapshot_id
            catalog.commit(snapshot_id, state)
        self._check(catalog)

    def _check(self, touched: ModelCatalog) -> None:
        """The touched catalog, and by turns another one and another snapshot."""
        type(self).steps += 1
        turn = self.steps
        check_head(self.lake, touched)
        check_head(self.lake, self._catalog(turn))
        other = self._catalog(turn // 2)
        check_past(self.lake, other, other.history[turn * 7 % len(other.history)])


def _machine_on(lake: Lake) -> type[LakeMachine]:
    class OnThisLake(LakeMachine):
        pass

    OnThisLake.lake = lake
    return OnThisLake


def test_a_tree_of_catalogs_is_what_copying_would_have_made_it(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    # So that forks of forks already take the short cut that only long chains take otherwise.
    monkeypatch.setattr(scope, "SHORT_CHAIN", 2)
    effort = settings(max_examples=EXAMPLES, stateful_step_count=STEPS, print_blob=True)
    machine = _machine_on(lake)
    run_state_machine_as_test(machine, settings=effort)
    # Some examples end early, but not many.
    assert machine.steps >= EXAMPLES * STEPS * 2 // 3


BUGS = {
    "an end marker is lost": "DELETE FROM lake_row_end",
    "a file of the parent ends too early": "UPDATE lake_data_file SET end_snapshot = begin_snapshot",
    "a file comes back": "UPDATE lake_data_file SET end_snapshot = NULL",
    "an inlined row comes back": "DELETE FROM lake_inlined_delete",
    "a snapshot is lost": "DELETE FROM lake_snapshot WHERE previous_snapshot_id IS NULL",
    "a count is wrong": "UPDATE lake_table_stats SET record_count = record_count + 1",
    "a fork sees too much": "UPDATE lake_catalog_ancestor SET max_snapshot = max_snapshot + 2 WHERE depth = 1",
}


@pytest.mark.parametrize("bug", BUGS)
def test_the_comparison_notices_when(bug: str, lake: Lake) -> None:
    machine = _machine_on(lake)()
    machine.begin_with_a_table()
    machine.fork_at_the_head(n=0)
    for action in (insert, end_file, delete_inlined):
        machine.change_several_things(n=0, actions=[(action, 0)])
        machine.change_several_things(n=1, actions=[(action, 0)])
    check_everything(lake, machine.model)
    with lake.store.writing([]) as (transaction, _):
        transaction.commit([Statement(BUGS[bug], {})])
    with pytest.raises(AssertionError):
        check_everything(lake, machine.model)
