"""Files written in a transaction that changes their table again are read by the names they were written with."""

from collections.abc import Callable
from dataclasses import replace

from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.view import view_at_head
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import alter_table, create_table, set_object_tag
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.model.alterations import ColumnSpec, add_column, drop_column, rename_column, set_column_type
from forklake.model.column_types import parse_type
from forklake.model.entities import UNCOMMITTED, Table, TableDefinition
from forklake.model.files import InlinedBatch
from forklake.model.ids import BatchId, DataFileId, SnapshotId, TableId
from forklake.model.mappings import mapping_of
from tests.lakes import make_table, new_files

INT, BIGINT = parse_type("int"), parse_type("bigint")


def alter(tx: Transaction, change: Callable[[TableDefinition], TableDefinition]) -> Table:
    return alter_table(tx, "main", "t", change)


def rename_id(tx: Transaction) -> Table:
    return alter(tx, lambda definition: rename_column(definition, ("id",), "key"))


def append(tx: Transaction, table: Table, version: SnapshotId = UNCOMMITTED) -> DataFileId:
    [new] = new_files(tx, 1)
    tx.append_files(table, [replace(new, file=new.file._replace(table_version=version))])
    return new.file.data_file_id


def inline(tx: Transaction, table: Table) -> InlinedBatch:
    [batch_id] = tx.new_ids("file")
    batch = InlinedBatch(BatchId(batch_id), UNCOMMITTED, 3, b"rows")
    tx.insert_inlined(table, batch)
    return batch


def committed(tx: Transaction) -> SnapshotId:
    snapshot_id = commit(tx)
    assert snapshot_id is not None
    return snapshot_id


def test_a_file_of_a_version_that_is_never_committed_gets_a_mapping(lake: Lake, main: Catalog) -> None:
    tx = begin(main)
    table = create_table(tx, "main", "t", [ColumnSpec("id", INT)])
    table_id = TableId(table.object_id)
    first = append(tx, table)
    widened = alter(tx, lambda definition: set_column_type(definition, ("id",), BIGINT))
    second = append(tx, widened)
    last = append(tx, renamed := rename_id(tx))
    snapshot_id = committed(tx)
    fork_catalog(lake, "main", "child")
    grandchild, _ = fork_catalog(lake, "child", "grandchild")
    for catalog in (main, grandchild):
        view = view_at_head(catalog)
        mappings = view.mappings(table_id)
        by_id = {scanned.data.data_file_id: scanned.data for scanned in view.files(table_id)}
        named = {file_id: mappings.get(file.mapping_id) if file.mapping_id else None for file_id, file in by_id.items()}
        assert named == {first: mapping_of(table.definition), second: mapping_of(widened.definition), last: None}
        assert by_id[last].table_version == snapshot_id
        assert view.table_versions(table_id, [snapshot_id]) == {snapshot_id: renamed.definition}


def test_a_file_of_a_committed_version_needs_no_mapping(main: Catalog) -> None:
    make_table(main)
    tx = begin(main)
    table = get_table(tx, "main", "t")
    append(tx, table, version := table.begin_snapshot)
    rename_id(tx)
    committed(tx)
    view = view_at_head(main)
    [scanned] = view.files(TableId(table.object_id))
    assert (scanned.data.mapping_id, scanned.data.table_version) == (None, version)
    assert view.mappings(TableId(table.object_id)) == {}


def test_a_change_that_touches_no_column_needs_no_mapping(main: Catalog) -> None:
    tx = begin(main)
    table = create_table(tx, "main", "t", [ColumnSpec("id", INT)])
    append(tx, table)
    set_object_tag(tx, table, "remarkable")
    assert tx.mappings(TableId(table.object_id)) == {}
    committed(tx)


def test_a_mapping_goes_with_the_files_it_was_made_for(main: Catalog) -> None:
    tx = begin(main)
    table = create_table(tx, "main", "t", [ColumnSpec("id", INT)])
    table_id = TableId(table.object_id)
    append(tx, table)
    append(tx, table)
    renamed = rename_id(tx)
    one, other = tx.files(table_id)
    tx.end_files(renamed, [one])
    assert len(tx.mappings(table_id)) == 1
    tx.end_files(renamed, [other])
    assert tx.mappings(table_id) == {}
    committed(tx)
    assert view_at_head(main).files(table_id) == []


def test_an_inlined_batch_is_listed_with_the_version_that_is_committed(lake: Lake, main: Catalog) -> None:
    tx = begin(main)
    table = create_table(tx, "main", "t", [ColumnSpec("id", INT)])
    inline(tx, table)
    altered = alter(tx, lambda definition: set_column_type(definition, ("id",), BIGINT))
    snapshot_id = committed(tx)
    fork_catalog(lake, "main", "child")
    grandchild, _ = fork_catalog(lake, "child", "grandchild")
    reader = begin(grandchild)
    [batch] = reader.batches(TableId(table.object_id))
    assert (batch.table_version, batch.payload) == (snapshot_id, b"rows")
    found = reader.table_versions(get_table(reader, "main", "t"), [batch.table_version])
    assert found == {snapshot_id: altered.definition}


def test_what_was_written_before_a_change_is_undone_follows_the_version_that_stays(main: Catalog) -> None:
    make_table(main)
    tx = begin(main)
    before = get_table(tx, "main", "t")
    spec = ColumnSpec("extra", INT)
    wider = alter(tx, lambda definition: add_column(definition, spec, tx.new_column_ids(1)))
    append(tx, wider)
    inline(tx, wider)
    assert alter(tx, lambda definition: drop_column(definition, ("extra",))) == before
    committed(tx)
    reader = begin(main)
    table = get_table(reader, "main", "t")
    [scanned], [batch] = reader.files(TableId(table.object_id)), reader.batches(TableId(table.object_id))
    assert batch.table_version == table.begin_snapshot == before.begin_snapshot
    assert scanned.data.mapping_id is not None
    assert reader.mappings(TableId(table.object_id)) == {scanned.data.mapping_id: mapping_of(wider.definition)}
