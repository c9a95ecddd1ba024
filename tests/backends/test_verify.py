"""Whatever is wrong with the metadata is found, and nothing is found in metadata that are right."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import Event

import pytest

from forklake.catalog.checks.verify import verify_metadata
from forklake.catalog.lakes.catalogs import drop_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.retention.due_files import delete_due
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.transaction.ddl import alter_table, create_schema, create_view, drop_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.options import set_option
from forklake.errors import NoSuchCatalog
from forklake.model.alterations import ColumnSpec, add_column
from forklake.model.column_types import parse_type
from forklake.model.entities import ViewDefinition
from forklake.model.files import DataFile, NewDataFile
from forklake.model.findings import Finding
from forklake.model.ids import DataFileId, MappingId, TableId
from forklake.model.mappings import mapping_of
from forklake.store.connection import Statement
from tests.conftest import Place
from tests.lakes import append, at, delete_rows, inline_rows, make_table, metadata_rows, new_files, transaction


@dataclass(frozen=True, slots=True)
class World:
    """A lake with a bit of everything: `fork` was forked from `main`, and `leaf` from `fork`."""

    lake: Lake
    main: Catalog
    fork: Catalog
    leaf: Catalog

    def catalog(self, name: str) -> Catalog:
        """With the lineage that it had before any damage."""
        return {"main": self.main, "fork": self.fork, "leaf": self.leaf}[name]

    def damage(self, sql: str, **values: object) -> None:
        """Change rows behind everybody's back; it must hit one at least."""
        names = {"main": self.main.catalog_id, "fork": self.fork.catalog_id, "leaf": self.leaf.catalog_id, **values}
        used = {name: value for name, value in names.items() if f":{name}" in sql}
        assert self.lake.store.fetch(f"{sql} RETURNING 1", used)


@pytest.fixture
def world(lake: Lake, main: Catalog) -> World:
    make_table(main)
    make_table(main, "gone")
    append(main, 4)
    append(main, name="gone")
    _change_rows(main)
    with transaction(main) as tx:
        create_schema(tx, "extra")
        create_view(tx, "extra", "v", ViewDefinition("SELECT 1"))
        set_option(tx, "target_file_size", "1MB")
    fork, _ = fork_catalog(lake, "main", "fork")
    _add_a_column(main)
    append(main)
    with transaction(main) as tx:
        drop_table(tx, "main", "gone")
    _change_rows(fork)
    _merge(fork)
    with transaction(fork) as tx:
        drop_table(tx, "main", "gone")
        set_option(tx, "target_file_size", "2MB")
    leaf, _ = fork_catalog(lake, "fork", "leaf")
    _change_rows(leaf)
    _add_a_mapped_file(leaf)
    for catalog in (main, fork):
        own = [found.snapshot_id for found in list_snapshots(catalog) if found.catalog_id == catalog.catalog_id]
        expire_snapshots(catalog, versions=own[1:-3])
    return World(lake, main, fork, leaf)


def _change_rows(catalog: Catalog) -> None:
    """Delete from a file twice, end another, inline rows and delete one of them."""
    for count in (2, 3):
        with transaction(catalog) as tx:
            table = get_table(tx, "main", "t")
            files = sorted(tx.files(TableId(table.object_id)), key=lambda file: file.data.data_file_id)
            delete_rows(tx, table, files[0], count + (files[0].delete.delete_count if files[0].delete else 0))
            inline_rows(tx, table, count)
    with transaction(catalog) as tx:
        table = get_table(tx, "main", "t")
        files = sorted(tx.files(TableId(table.object_id)), key=lambda file: file.data.data_file_id)
        tx.end_files(table, files[-1:])
        batches = sorted(tx.batches(TableId(table.object_id)), key=lambda batch: batch.batch_id)
        tx.delete_inlined(table, [(batch.batch_id, 1) for batch in batches if 1 not in batch.deleted][:1])
    append(catalog)


def _merge(catalog: Catalog) -> None:
    with transaction(catalog) as tx:
        table = get_table(tx, "main", "t")
        files = tx.files(TableId(table.object_id))
        tx.compact(table, "merge")
        [new] = new_files(tx, 1)
        rows = sum(file.live_rows for file in files[:2])
        tx.end_files(table, files[:2])
        tx.append_files(table, [replace(new, file=new.file._replace(record_count=rows))])


def _add_a_column(catalog: Catalog) -> None:
    with transaction(catalog) as tx:
        ids = tx.new_column_ids(1)
        alter_table(tx, "main", "t", lambda d: add_column(d, ColumnSpec("extra", parse_type("int")), ids))


def _add_a_mapped_file(catalog: Catalog) -> None:
    with transaction(catalog) as tx:
        table = get_table(tx, "main", "t")
        mapping_id, file_id = tx.new_ids("entity")[0], tx.new_ids("file")[0]
        tx.add_mapping(table, MappingId(mapping_id), mapping_of(table.definition))
        file = DataFile(DataFileId(file_id), f"leaf/{file_id}.parquet", 10, 1000, mapping_id=MappingId(mapping_id))
        tx.append_files(table, [NewDataFile(file)])


def problems(catalog: Catalog) -> set[str]:
    return {finding.problem for finding in verify_metadata(catalog)}


def test_nothing_is_found_where_nothing_is_wrong(world: World) -> None:
    for catalog in (world.main, world.fork, world.leaf):
        assert verify_metadata(catalog) == []


def test_nothing_is_found_after_an_ancestor_was_dropped(world: World) -> None:
    drop_catalog(world.lake, "fork")
    drop_catalog(world.lake, "main")
    assert verify_metadata(world.leaf) == []


def test_nothing_is_written(world: World) -> None:
    world.damage("UPDATE lake_table_stats SET record_count = record_count + 1 WHERE catalog_id = :main")
    before = metadata_rows(world.lake)
    assert verify_metadata(world.main) != []
    assert metadata_rows(world.lake) == before


def test_a_catalog_attached_in_the_past_is_checked_up_to_its_head(world: World) -> None:
    first = list_snapshots(world.main)[0].snapshot_id
    world.damage("UPDATE lake_data_file SET table_version = 7777 WHERE catalog_id = :main AND end_snapshot IS NULL")
    assert problems(at(world.main, first)) == {"no_version"}


def test_a_dropped_catalog_cannot_be_checked(world: World) -> None:
    drop_catalog(world.lake, "leaf")
    with pytest.raises(NoSuchCatalog):
        verify_metadata(world.leaf)


DAMAGES = {
    "a level of the lineage is missing": (
        "leaf",
        "DELETE FROM lake_catalog_ancestor WHERE catalog_id = :leaf AND depth = 1",
        {"broken_lineage"},
    ),
    "a horizon above the head of the ancestor": (
        "leaf",
        "UPDATE lake_catalog_ancestor SET max_snapshot = 7777 WHERE catalog_id = :leaf AND depth = 1",
        {"broken_lineage"},
    ),
    "a horizon that is too low": (
        "leaf",
        "UPDATE lake_catalog_ancestor SET max_snapshot = max_snapshot - 1 WHERE catalog_id = :leaf AND depth = 2",
        {"broken_lineage"},
    ),
    "a horizon above where the catalog below was forked": (
        "leaf",
        "UPDATE lake_catalog_ancestor SET max_snapshot = (SELECT head_snapshot FROM lake_catalog"
        " WHERE catalog_id = :main) WHERE catalog_id = :leaf AND depth = 2",
        {"broken_lineage"},
    ),
    "an ancestor that does not exist": (
        "leaf",
        "UPDATE lake_catalog_ancestor SET ancestor_id = 7777 WHERE catalog_id = :leaf AND depth = 2",
        {"broken_lineage"},
    ),
    "a parent that does not exist": (
        "leaf",
        "UPDATE lake_catalog SET parent_catalog_id = 7777 WHERE catalog_id = :leaf",
        {"broken_lineage"},
    ),
    "a head without a snapshot": (
        "main",
        "DELETE FROM lake_snapshot WHERE catalog_id = :main"
        " AND snapshot_id = (SELECT head_snapshot FROM lake_catalog WHERE catalog_id = :main)",
        {"broken_lineage"},
    ),
    "a head that is not the newest": (
        "main",
        "UPDATE lake_catalog SET head_snapshot = (SELECT previous_snapshot_id FROM lake_snapshot s"
        " WHERE s.catalog_id = :main AND s.snapshot_id = head_snapshot) WHERE catalog_id = :main",
        {"broken_lineage", "bad_period"},
    ),
    "a predecessor that passes over a kept snapshot": (
        "main",
        "UPDATE lake_snapshot SET previous_snapshot_id = 1 WHERE catalog_id = :main"
        " AND snapshot_id = (SELECT head_snapshot FROM lake_catalog WHERE catalog_id = :main)",
        {"broken_lineage"},
    ),
    "a predecessor in the future": (
        "main",
        "UPDATE lake_snapshot SET previous_snapshot_id = 7777 WHERE catalog_id = :main"
        " AND snapshot_id = (SELECT head_snapshot FROM lake_catalog WHERE catalog_id = :main)",
        {"broken_lineage"},
    ),
    "a fork that follows on something else": (
        "fork",
        "UPDATE lake_snapshot SET previous_snapshot_id = 1 WHERE catalog_id = :fork"
        " AND snapshot_id = (SELECT begin_snapshot FROM lake_catalog WHERE catalog_id = :fork)",
        {"broken_lineage"},
    ),
    "a time that goes back": (
        "main",
        "UPDATE lake_snapshot SET snapshot_time = '2001-01-01 00:00:00.000000+00' WHERE catalog_id = :main"
        " AND previous_snapshot_id IS NOT NULL",
        {"broken_lineage"},
    ),
    "changes that cannot be read": (
        "main",
        "UPDATE lake_snapshot SET changes_made = 'made_coffee:1' WHERE catalog_id = :main AND snapshot_id = 1",
        {"unreadable"},
    ),
    "a schema that is gone": (
        "fork",
        "DELETE FROM lake_object WHERE catalog_id = :main AND kind = 'schema' AND name = 'extra'",
        {"no_schema"},
    ),
    "an object that ends before it begins": (
        "main",
        "UPDATE lake_object SET end_snapshot = begin_snapshot WHERE catalog_id = :main AND kind = 'view'",
        {"bad_period"},
    ),
    "two versions of a table at once": (
        "main",
        "UPDATE lake_object SET end_snapshot = 7776 WHERE catalog_id = :main AND name = 't'"
        " AND end_snapshot IS NOT NULL",
        {"two_versions", "bad_period"},
    ),
    "two tables of one name": (
        "leaf",
        "UPDATE lake_object SET name = 't', name_key = 't', schema_id = (SELECT o.schema_id FROM lake_object o"
        " WHERE o.catalog_id = :main AND o.name = 't' LIMIT 1) WHERE catalog_id = :main AND kind = 'view'",
        {"same_name"},
    ),
    "a name that is not found": (
        "main",
        "UPDATE lake_object SET name_key = 'T' WHERE catalog_id = :main AND kind = 'view'",
        {"unreadable"},
    ),
    "a definition that is none": (
        "main",
        """UPDATE lake_object SET definition = '{"columns": 1}' WHERE catalog_id = :main AND name = 't'""",
        {"unreadable"},
    ),
    "a view that is none": (
        "main",
        "UPDATE lake_object SET definition = '{}' WHERE catalog_id = :main AND kind = 'view'",
        {"unreadable"},
    ),
    "an option that is set twice": (
        "fork",
        "DELETE FROM lake_row_end WHERE catalog_id = :fork AND kind = 5",
        {"two_versions"},
    ),
    "a table that is gone": (
        "main",
        "DELETE FROM lake_object WHERE catalog_id = :main AND name = 't'",
        {"no_table", "no_version"},
    ),
    "a dropped table whose contents were left": (
        "fork",
        "DELETE FROM lake_row_end WHERE catalog_id = :fork AND kind = 0",
        {"no_table"},
    ),
    "a marker that ends no file": (
        "fork",
        "UPDATE lake_row_end SET begin_snapshot = 1 WHERE catalog_id = :fork AND kind = 1",
        {"marker_of_nothing", "wrong_statistics"},
    ),
    "a marker that ends no table": (
        "main",
        "INSERT INTO lake_row_end VALUES (:main, 0, 7777, 0, 0, 5)",
        {"marker_of_nothing"},
    ),
    "a marker that ends no object": (
        "leaf",
        "INSERT INTO lake_row_end VALUES (:fork, 3, 0, 7777, 2, (SELECT fork_snapshot FROM lake_catalog"
        " WHERE catalog_id = :leaf))",
        {"marker_of_nothing"},
    ),
    "a file that is back": (
        "fork",
        "DELETE FROM lake_row_end WHERE catalog_id = :fork AND kind = 1",
        {"wrong_statistics"},
    ),
    "a file that ends before it begins": (
        "main",
        "UPDATE lake_data_file SET end_snapshot = begin_snapshot - 1 WHERE catalog_id = :main AND end_snapshot IS NULL",
        {"bad_period", "wrong_statistics", "no_target"},
    ),
    "a file from the future": (
        "main",
        "UPDATE lake_data_file SET begin_snapshot = 7777 WHERE catalog_id = :main AND end_snapshot IS NULL",
        {"bad_period", "wrong_statistics", "no_target"},
    ),
    "a count that is wrong": (
        "main",
        "UPDATE lake_table_stats SET record_count = record_count + 1 WHERE catalog_id = :main",
        {"wrong_statistics"},
    ),
    "a size that is wrong": (
        "leaf",
        "UPDATE lake_table_stats SET file_size_bytes = 5 WHERE catalog_id = :leaf",
        {"wrong_statistics"},
    ),
    "statistics that are gone": (
        "main",
        "DELETE FROM lake_table_stats WHERE catalog_id = :main",
        {"wrong_statistics", "low_row_id"},
    ),
    "a row id that will be given twice": (
        "leaf",
        "UPDATE lake_table_stats SET next_row_id = 5 WHERE catalog_id = :leaf",
        {"low_row_id"},
    ),
    "a version that is gone": (
        "main",
        "UPDATE lake_data_file SET table_version = 7777 WHERE catalog_id = :main AND end_snapshot IS NULL",
        {"no_version"},
    ),
    "a version of inlined rows that is gone": (
        "leaf",
        "UPDATE lake_inlined_batch SET table_version = 7777 WHERE catalog_id = :leaf",
        {"no_version"},
    ),
    "a mapping that is gone": ("leaf", "DELETE FROM lake_column_mapping WHERE catalog_id = :leaf", {"no_mapping"}),
    "a mapping that is none": (
        "leaf",
        "UPDATE lake_column_mapping SET mapping = '{}' WHERE catalog_id = :leaf",
        {"unreadable"},
    ),
    "more deletes than rows": (
        "leaf",
        "UPDATE lake_delete_file SET delete_count = 11 WHERE catalog_id = :leaf",
        {"too_many_deletes", "wrong_statistics"},
    ),
    "deletes from no file": (
        "leaf",
        "UPDATE lake_delete_file SET data_file_id = 7777 WHERE catalog_id = :leaf AND end_snapshot IS NULL",
        {"no_target"},
    ),
    "two delete files at once": (
        "leaf",
        "UPDATE lake_delete_file SET end_snapshot = NULL WHERE catalog_id = :leaf AND end_snapshot IS NOT NULL",
        {"two_versions", "wrong_statistics"},
    ),
    "a deleted row that is not in the batch": (
        "leaf",
        "UPDATE lake_inlined_delete SET position = 9 WHERE catalog_id = :leaf",
        {"too_many_deletes"},
    ),
    "a deleted row of no batch": (
        "leaf",
        "UPDATE lake_inlined_delete SET batch_id = 7777 WHERE catalog_id = :leaf",
        {"no_target", "wrong_statistics"},
    ),
    "a file without statistics": (
        "fork",
        "DELETE FROM lake_file_column_stats WHERE catalog_id = :fork",
        {"missing_statistics"},
    ),
    "a file that waits for its deletion and is in use": (
        "main",
        "INSERT INTO lake_scheduled_file SELECT catalog_id, 7777, path, path_is_relative,"
        " '2001-01-01 00:00:00.000000+00', 1 FROM lake_data_file WHERE catalog_id = :main LIMIT 1",
        {"scheduled_in_use"},
    ),
    "a file that waits for its deletion and is in use by a fork": (
        "main",
        "INSERT INTO lake_scheduled_file SELECT :main, delete_file_id, 'elsewhere', path_is_relative,"
        " '2001-01-01 00:00:00.000000+00', 1 FROM lake_delete_file WHERE catalog_id = :leaf LIMIT 1",
        {"scheduled_in_use"},
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found(world: World, damage: str) -> None:
    name, sql, expected = DAMAGES[damage]
    if damage.startswith("two"):
        _forget_unique_versions(world)
    world.damage(sql)
    assert problems(world.catalog(name)) == expected


def _forget_unique_versions(world: World) -> None:
    """The databases themselves refuse two live versions."""
    for index in ("lake_object_live", "lake_object_live_name"):
        with world.lake.store.writing([]) as (connection, _):
            connection.commit([Statement(f"DROP INDEX {index}", {})])


def test_a_sequence_that_fell_behind_is_found(world: World, place: Place) -> None:
    for sequence in ("snapshot", "entity", "file"):
        if place.backend == "sqlite":
            world.damage("UPDATE lake_counter SET value = 2 WHERE name = :name", name=sequence)
        else:
            world.lake.store.fetch(f"SELECT setval('lake_{sequence}_seq', 2)", {})
    found = verify_metadata(world.main)
    assert [finding.problem for finding in found] == ["broken_sequence"] * 3


def test_a_finding_says_where(world: World) -> None:
    head = list_snapshots(world.leaf)[-1].snapshot_id
    world.damage("UPDATE lake_delete_file SET data_file_id = 7777 WHERE catalog_id = :leaf AND end_snapshot IS NULL")
    [row] = world.lake.store.fetch(
        "SELECT path FROM lake_delete_file WHERE catalog_id = :leaf AND end_snapshot IS NULL",
        {"leaf": world.leaf.catalog_id},
    )
    detail = "It deletes from data file 7777, which is not there."
    assert verify_metadata(world.leaf) == [Finding("no_target", "main.t", row[0], head, detail)]


def test_damage_that_no_snapshot_of_the_catalog_can_see_is_not_its_own(world: World) -> None:
    world.damage("UPDATE lake_table_stats SET record_count = 7777 WHERE catalog_id = :leaf")
    assert problems(world.main) == problems(world.fork) == set()


def test_nothing_is_found_while_others_commit_expire_and_clean_up(lake: Lake, main: Catalog) -> None:
    make_table(main)
    append(main, 2)
    stop = Event()

    def keep_busy() -> None:
        fork, _ = fork_catalog(lake, "main", "fork")
        while not stop.is_set():
            make_table(main, "brief")
            append(main, name="brief")
            _change_rows(main)
            _change_rows(fork)
            with transaction(main) as tx:
                drop_table(tx, "main", "brief")
            for catalog in (main, fork):
                expire_snapshots(catalog, older_than=datetime.now(UTC))
                list(delete_due(lake, catalog.catalog_id, None, list))

    with ThreadPoolExecutor(1) as threads:
        busy = threads.submit(keep_busy)
        try:
            found = [finding for _ in range(40) for finding in verify_metadata(main)]
        finally:
            stop.set()
        busy.result()
    assert found == []


def test_nothing_is_found_in_an_empty_lake(main: Catalog) -> None:
    assert verify_metadata(main) == []
