"""Random trees of catalogs that are written, forked, dropped, compacted, expired and cleaned up.

After every step, every snapshot that every live catalog has kept is read from the real files and compared with what
it held when it was made: rows, row ids, and the snapshots the rows are from.
"""

import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from pyspark.sql import SparkSession

from forklake.api.catalog import CatalogHandle
from forklake.api.table import TableHandle
from forklake.errors import ForklakeError
from forklake.maintenance.cleanup import orphans
from forklake.store import garbage
from forklake.store.connection import Statement
from forklake.store.garbage import NeededPoints
from tests.conftest import Place
from tests.effort import examples
from tests.lakes import metadata_rows
from tests.spark.conftest import Lakehouse, open_lakehouse
from tests.spark.every_snapshot import Reader, Tables, named_files, parquet_files

pytestmark = pytest.mark.every_backend

EXAMPLES = int(os.environ.get("FORKLAKE_EXAMPLES", examples(4)))
STEPS = 40
MOST_CATALOGS = 5
NAMES = ("a", "b")

numbers = st.integers(0, 10_000)
Values = dict[str, dict[int, str]]
"""By table: the rows it should hold, without the numbers that the lake gives them."""


@dataclass(eq=False)
class ModelCatalog:
    """A catalog as it should be: snapshots it has made and kept, and what it was forked from."""

    handle: CatalogHandle
    values: Values
    parent: "ModelCatalog | None" = None
    horizon: int = -1
    birth: int = -1
    own: dict[int, Tables] = field(default_factory=dict)
    dropped: bool = False

    @property
    def name(self) -> str:
        return self.handle.name

    @property
    def head(self) -> int:
        return max(self.own)

    def history(self) -> dict[int, Tables]:
        """Every snapshot it can travel to."""
        inherited: dict[int, Tables] = {}
        if self.parent is not None:
            inherited = {at: found for at, found in self.parent.history().items() if at <= self.horizon}
        return inherited | self.own


class MaintenanceMachine(RuleBasedStateMachine):
    """Each example has a lake of its own."""

    new_house: Callable[[], Lakehouse]
    steps = 0

    def __init__(self) -> None:
        super().__init__()
        self.house = type(self).new_house()
        self.lake = self.house.lake._attachment.lake
        self.reader = Reader(self.lake, self.house.data)
        self.names = itertools.count(1)
        self.ids = itertools.count(1)
        self.catalogs: list[ModelCatalog] = []
        self.all: list[ModelCatalog] = []
        self.is_sound = False

    @initialize()
    def begin_with_a_catalog(self) -> None:
        place = self.house.place
        handle = self.house.session.attach(
            place.url, "root", catalog="root", metadata_schema=place.metadata_schema, create_if_not_exists=True
        )
        handle.set_option("data_inlining_row_limit", 2)
        root = ModelCatalog(handle, {})
        self._add(root)
        self._learn_history(root)
        self._create(root, "a")
        for _ in range(3):
            self._append(root, "a", 4)

    # Writing

    @rule(n=numbers, count=st.integers(1, 6))
    def append_rows(self, n: int, count: int) -> None:
        catalog = self._catalog(n)
        if (name := self._table(catalog, n)) is not None:
            self._append(catalog, name, count)

    @rule(n=numbers, part=st.integers(0, 3))
    def delete_some_rows(self, n: int, part: int) -> None:
        catalog = self._catalog(n)
        if (name := self._table(catalog, n)) is not None:
            self._handle(catalog, name).delete(f"id % 4 = {part}")
            left = {key: value for key, value in catalog.values[name].items() if key % 4 != part}
            self._changed(catalog, catalog.values | {name: left})

    @rule(n=numbers, part=st.integers(0, 3))
    def update_some_rows(self, n: int, part: int) -> None:
        catalog = self._catalog(n)
        if (name := self._table(catalog, n)) is not None:
            self._handle(catalog, name).update({"v": "concat(v, '+')"}, where=f"id % 4 = {part}")
            rows = {key: value + "+" * (key % 4 == part) for key, value in catalog.values[name].items()}
            self._changed(catalog, catalog.values | {name: rows})

    @rule(n=numbers)
    def create_or_drop_a_table(self, n: int) -> None:
        catalog, name = self._catalog(n), NAMES[n % 2]
        if name not in catalog.values:
            self._create(catalog, name)
        elif n % 5 == 0:
            catalog.handle.drop_table(name)
            self._changed(catalog, {key: rows for key, rows in catalog.values.items() if key != name})

    # Catalogs

    @precondition(lambda self: len(self.catalogs) < MOST_CATALOGS)
    @rule(n=numbers, back=numbers, in_the_past=st.booleans())
    def fork_a_catalog(self, n: int, back: int, in_the_past: bool) -> None:
        parent = self._catalog(n)
        history = sorted(parent.history())
        version = history[back % len(history)] if in_the_past else None
        horizon = parent.head if version is None else version
        handle = parent.handle.fork(self._unused_name(), version=version)
        state = parent.history()[horizon]
        if parent.parent is not None and horizon <= parent.birth:
            # A parent that has written nothing that the fork sees is passed over; those before it stay as it sees them.
            parent, horizon = parent.parent, min(horizon, parent.horizon)
        fork = ModelCatalog(handle, _values(state), parent, horizon)
        self._add(fork)
        fork.birth = max(found.snapshot_id for found in handle.snapshots())
        fork.own[fork.birth] = state
        self._check()

    @precondition(lambda self: len(self.catalogs) > 1)
    @rule(n=numbers)
    def drop_a_catalog(self, n: int) -> None:
        self._drop(self._catalog(n))
        self._check()

    # Maintenance

    @rule(n=numbers, chosen=st.sets(st.integers(0, 30), max_size=20))
    def expire_some_snapshots(self, n: int, chosen: set[int]) -> None:
        catalog = self._catalog(n)
        own = sorted(catalog.own)
        wanted = [own[at] for at in chosen if at < len(own)]
        gone = catalog.handle.expire_snapshots(versions=wanted)
        assert {found.snapshot_id for found in gone} == set(wanted) - {catalog.head}
        for found in gone:
            del catalog.own[found.snapshot_id]
        self._check()

    @rule(n=numbers)
    def merge_files(self, n: int) -> None:
        self._compact(n, lambda catalog: catalog.handle.merge_adjacent_files())

    @rule(n=numbers)
    def rewrite_files(self, n: int) -> None:
        self._compact(n, lambda catalog: catalog.handle.rewrite_data_files(delete_threshold=0.1))

    @rule(n=numbers)
    def flush_rows(self, n: int) -> None:
        self._compact(n, lambda catalog: catalog.handle.flush_inlined_data())

    @rule(n=numbers)
    def clean_up(self, n: int) -> None:
        self._catalog(n).handle.cleanup_old_files(cleanup_all=True)
        self._check()

    @rule(n=numbers)
    def clean_up_after_dropped_catalogs(self, n: int) -> None:
        self._catalog(n).handle.cleanup_dropped_catalogs(cleanup_all=True)
        self._check()

    @rule(n=numbers)
    def delete_orphans(self, n: int) -> None:
        catalog = self._catalog(n)
        orphan = self.house.data / catalog.handle._attachment.catalog.path / "main" / "orphan.parquet"
        orphan.parent.mkdir(parents=True, exist_ok=True)
        orphan.write_bytes(b"PAR1")
        assert str(orphan) in catalog.handle.delete_orphaned_files(cleanup_all=True)
        self._check()

    def teardown(self) -> None:
        """A last pass leaves nothing that nobody can see, and without catalogs there is nothing at all."""
        if self.is_sound:
            self._end()
        self.house.session.close()

    def _end(self) -> None:
        self._final_pass()
        assert parquet_files(self.house.data) == named_files(self.lake)
        self._check_with_spark()
        for catalog in list(self.catalogs):
            self._drop(catalog)
        self.house.lake.cleanup_dropped_catalogs(cleanup_all=True)
        assert parquet_files(self.house.data) == set()
        of_main = metadata_rows(self.lake, self.house.lake._attachment.catalog)
        left = {name: rows for name, rows in metadata_rows(self.lake).items() if rows != of_main.get(name, [])}
        assert left.keys() == {"lake_info"}

    def _final_pass(self) -> None:
        for catalog in self.catalogs:
            catalog.handle.expire_snapshots()
            catalog.handle.cleanup_old_files(cleanup_all=True)
            catalog.handle.delete_orphaned_files(cleanup_all=True)
        self.house.lake.cleanup_dropped_catalogs(cleanup_all=True)
        self._check()
        for catalog in self.catalogs:
            assert catalog.handle.verify(deep=True) == []

    # Below the rules

    def _catalog(self, n: int) -> ModelCatalog:
        return self.catalogs[n % len(self.catalogs)]

    def _table(self, catalog: ModelCatalog, n: int) -> str | None:
        names = sorted(catalog.values)
        return names[n % len(names)] if names else None

    def _handle(self, catalog: ModelCatalog, name: str) -> TableHandle:
        return catalog.handle.table(name)

    def _unused_name(self) -> str:
        return f"c{next(self.names)}"

    def _add(self, catalog: ModelCatalog) -> None:
        self.catalogs.append(catalog)
        self.all.append(catalog)

    def _create(self, catalog: ModelCatalog, name: str) -> None:
        catalog.handle.create_table(name, {"id": "bigint", "v": "varchar"})
        self._changed(catalog, catalog.values | {name: {}})

    def _append(self, catalog: ModelCatalog, name: str, count: int) -> None:
        rows = {key: f"v{key}" for key in itertools.islice(self.ids, count)}
        self._handle(catalog, name).append(pa.table({"id": list(rows), "v": list(rows.values())}))
        self._changed(catalog, catalog.values | {name: catalog.values[name] | rows})

    def _changed(self, catalog: ModelCatalog, values: Values) -> None:
        """A write has been committed: its snapshot holds these rows, numbered as rows that were there before."""
        before, new = catalog.values, self._new_snapshot(catalog)
        catalog.values = values
        if new is not None:
            at, state = new
            assert _values(state) == values
            for name in before.keys() & values.keys():
                kept = {row[2][0]: row[0] for row in catalog.own[catalog.head].get(name, ())}
                numbered = {row[2][0]: row[0] for row in state[name]}
                assert {key: numbered[key] for key in kept.keys() & numbered.keys()} == {
                    key: kept[key] for key in kept.keys() & numbered.keys()
                }, "a row has another row id"
            catalog.own[at] = state
        else:
            assert values == before
        self._check()

    def _compact(self, n: int, operation: Any) -> None:
        """Compaction changes nothing that can be read."""
        catalog = self._catalog(n)
        before = catalog.own[catalog.head]
        operation(catalog)
        while (new := self._new_snapshot(catalog)) is not None:
            assert new[1] == before
            catalog.own[new[0]] = new[1]
        self._check()

    def _new_snapshot(self, catalog: ModelCatalog) -> tuple[int, Tables] | None:
        new = [found.snapshot_id for found in catalog.handle.snapshots() if found.snapshot_id > catalog.head]
        return (new[0], self.reader.tables(catalog.handle._attachment.catalog, new[0])) if new else None

    def _learn_history(self, catalog: ModelCatalog) -> None:
        for found in catalog.handle.snapshots():
            catalog.own[found.snapshot_id] = self.reader.tables(catalog.handle._attachment.catalog, found.snapshot_id)

    def _drop(self, catalog: ModelCatalog) -> None:
        report = self.house.lake.drop_catalog(catalog.name)
        assert report.catalog_name == catalog.name
        self.catalogs.remove(catalog)
        catalog.dropped = True
        self._let_go()

    def _let_go(self) -> None:
        """A dropped catalog keeps the snapshots that live forks can travel to."""
        for catalog in self.all:
            if catalog.dropped:
                newest = max((_sees(live, catalog) for live in self.catalogs), default=-1)
                catalog.own = {at: state for at, state in catalog.own.items() if at <= newest}

    def _check(self) -> None:
        type(self).steps += 1
        self.is_sound = False
        found = self.reader.everything()
        found.pop("main")
        assert {name: sorted(history) for name, history in found.items()} == {
            catalog.name: sorted(catalog.history()) for catalog in self.catalogs
        }
        for catalog in self.catalogs:
            for at, state in catalog.history().items():
                assert found[catalog.name][at] == state, f"{catalog.name} at {at}"
        self.is_sound = True

    def _check_with_spark(self) -> None:
        """The newest snapshots, as a user reads them."""
        for catalog in self.catalogs:
            for name, rows in catalog.values.items():
                read = self._handle(catalog, name).scan().fetchall()
                assert sorted(map(tuple, read)) == sorted(rows.items())


def _sees(fork: ModelCatalog, ancestor: ModelCatalog) -> int:
    """Up to which snapshot of an ancestor a catalog can travel."""
    horizon, catalog = 2**62, fork
    while catalog.parent is not None:
        horizon = min(horizon, catalog.horizon)
        catalog = catalog.parent
        if catalog is ancestor:
            return horizon
    return -1


def _values(tables: Tables) -> Values:
    return {name: {row[2][0]: row[2][1] for row in rows} for name, rows in tables.items()}


def machine_on(place: Place, folder: Path, spark: SparkSession) -> type[MaintenanceMachine]:
    """The machine with a new lake for each example."""
    numbers = itertools.count(1)

    class OnThisBackend(MaintenanceMachine):
        @staticmethod
        def new_house() -> Lakehouse:
            number = next(numbers)
            schema = None if place.metadata_schema is None else f"{place.metadata_schema}_{number}"
            url = place.url.replace("lake.db", f"lake{number}.db")
            return open_lakehouse(Place(url, schema, place.backend), folder / str(number), spark)

    return OnThisBackend


@pytest.mark.timeout(900)
def test_every_kept_snapshot_stays_as_it_was_whatever_is_done(
    place: Place, tmp_path: Path, spark: SparkSession
) -> None:
    machine = machine_on(place, tmp_path, spark)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
    assert machine.steps > 20


def everything(machine: MaintenanceMachine) -> None:
    """A bit of all that the machine does, with work for each operation; the root is dropped, and its fork lives on."""
    machine.begin_with_a_catalog()
    machine.fork_a_catalog(0, 0, in_the_past=False)
    for part in range(4):
        machine.delete_some_rows(0, part)
    machine.append_rows(0, 4)
    machine.update_some_rows(0, 1)
    machine.expire_some_snapshots(0, {2})
    machine.clean_up(0)
    for operation in (machine.flush_rows, machine.merge_files, machine.rewrite_files):
        operation(0)
    machine.expire_some_snapshots(0, set(range(30)))
    machine.clean_up(0)
    machine.delete_orphans(0)
    machine.drop_a_catalog(0)
    machine.clean_up_after_dropped_catalogs(0)
    machine.teardown()


def test_the_machine_is_content_with_a_bit_of_everything(place: Place, tmp_path: Path, spark: SparkSession) -> None:
    everything(machine_on(place, tmp_path, spark)())


def forget_forks(needed: NeededPoints, begin: str, end: str) -> str:
    return "TRUE"


def forget_snapshots(needed: NeededPoints, begin: str, end: str) -> str:
    return needed.no_fork_in(begin, end)


PLANTED = {
    "forks are forgotten": (NeededPoints, "no_fork_in", forget_forks),
    "snapshots are forgotten": (NeededPoints, "no_point_in", forget_snapshots),
    "every file is an orphan": (orphans, "known_paths", lambda lake, paths, **how: set()),
    "a dropped catalog holds nothing": (
        garbage,
        "delete_snapshots_of_dropped",
        lambda catalog_id: Statement(
            "DELETE FROM lake_catalog_ancestor WHERE ancestor_id = :id AND depth > 0 AND EXISTS (SELECT 1 FROM"
            " lake_catalog c WHERE c.catalog_id = :id AND c.end_snapshot IS NOT NULL) RETURNING catalog_id",
            {"id": catalog_id},
        ),
    ),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_the_machine_notices_when(
    bug: str, sqlite_place: Place, tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(*PLANTED[bug])
    with pytest.raises((AssertionError, OSError, ForklakeError)):
        everything(machine_on(sqlite_place, tmp_path, spark)())
