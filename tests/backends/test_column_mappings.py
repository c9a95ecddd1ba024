"""Files without field ids come with a mapping, which is committed with them and inherited by forks."""

from dataclasses import replace

import pytest

from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.view import view_at, view_at_head
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_schema, create_table, drop_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import CorruptMetadata, InvalidInput
from forklake.model.alterations import ColumnSpec
from forklake.model.entities import Table
from forklake.model.ids import ColumnId, MappingId, TableId
from forklake.model.mappings import MappedColumn, NameMapping
from forklake.store.connection import Statement
from tests.backends.table_changes import BIGINT
from tests.lakes import append, make_table, new_files, transaction


def by_name(name: str) -> NameMapping:
    """Files in which the first column has this name."""
    return NameMapping((MappedColumn(0, name, ColumnId(1)),))


def add_files(tx: Transaction, table: Table, name: str) -> MappingId:
    """Append a file with a mapping of its own."""
    [mapping_id] = tx.new_ids("entity")
    [new] = new_files(tx, 1)
    tx.add_mapping(table, MappingId(mapping_id), by_name(name))
    tx.append_files(table, [replace(new, file=new.file._replace(mapping_id=MappingId(mapping_id)))])
    return MappingId(mapping_id)


def test_a_mapping_is_read_back_before_and_after_the_commit(main: Catalog) -> None:
    table_id = TableId(make_table(main).object_id)
    tx = begin(main)
    mapping_id = add_files(tx, get_table(tx, "main", "t"), "key")
    assert tx.mappings(table_id) == {mapping_id: by_name("key")}
    assert view_at_head(main).mappings(table_id) == {}
    commit(tx)
    view = view_at_head(main)
    assert view.mappings(table_id) == begin(main).mappings(table_id) == {mapping_id: by_name("key")}
    assert [scanned.data.mapping_id for scanned in view.files(table_id)] == [mapping_id]
    shown = "SELECT n.source_name, n.target_field_id FROM ducklake_name_mapping n WHERE n.mapping_id = :id"
    assert main.lake.store.fetch(shown, {"id": mapping_id}) == [("key", 1)]


def test_forks_inherit_mappings_up_to_their_horizon(lake: Lake, main: Catalog) -> None:
    table_id = TableId(make_table(main).object_id)
    ids = []
    for name in ("early", "late"):
        with transaction(main) as tx:
            ids.append(add_files(tx, get_table(tx, "main", "t"), name))
        if name == "early":
            fork_point = view_at_head(main).snapshot_id
    child, _ = fork_catalog(lake, "main", "f", version=fork_point)
    with transaction(child) as tx:
        own = add_files(tx, get_table(tx, "main", "t"), "own")
    grandchild, _ = fork_catalog(lake, "f", "g")
    assert view_at_head(child).mappings(table_id) == {ids[0]: by_name("early"), own: by_name("own")}
    assert begin(grandchild).mappings(table_id) == {ids[0]: by_name("early"), own: by_name("own")}
    assert view_at_head(main).mappings(table_id) == {ids[0]: by_name("early"), ids[1]: by_name("late")}
    assert view_at(child, version=fork_point).mappings(table_id) == {ids[0]: by_name("early")}


def test_a_committed_mapping_serves_later_files_of_forks_too(lake: Lake, main: Catalog) -> None:
    make_table(main)
    with transaction(main) as tx:
        mapping_id = add_files(tx, get_table(tx, "main", "t"), "key")
    child, _ = fork_catalog(lake, "main", "f")
    tx = begin(child)
    [new] = new_files(tx, 1)
    tx.append_files(get_table(tx, "main", "t"), [replace(new, file=new.file._replace(mapping_id=mapping_id))])
    assert commit(tx) is not None


def test_a_mapping_that_no_new_file_uses_is_refused(main: Catalog) -> None:
    make_table(main)
    for with_rows in (False, True):
        tx = begin(main)
        table = get_table(tx, "main", "t")
        tx.add_mapping(table, MappingId(tx.new_ids("entity")[0]), by_name("key"))
        if with_rows:
            tx.append_files(table, new_files(tx, 1))
        else:
            create_schema(tx, "s")
        before = view_at_head(main).snapshot_id
        with pytest.raises(InvalidInput, match="No new file uses the column mapping"):
            commit(tx)
        assert view_at_head(main).snapshot_id == before


def test_a_file_whose_mapping_is_unknown_is_refused(main: Catalog) -> None:
    make_table(main)
    tx = begin(main)
    [new] = new_files(tx, 1)
    tx.append_files(get_table(tx, "main", "t"), [replace(new, file=new.file._replace(mapping_id=MappingId(77)))])
    with pytest.raises(InvalidInput, match="no column mapping 77"):
        commit(tx)


def test_a_mapping_goes_with_its_table(main: Catalog) -> None:
    tx = begin(main)
    add_files(tx, create_table(tx, "main", "t", [ColumnSpec("id", BIGINT)]), "key")
    drop_table(tx, "main", "t")
    assert commit(tx) is None


def test_an_id_is_of_one_mapping(main: Catalog) -> None:
    make_table(main)
    tx = begin(main)
    table = get_table(tx, "main", "t")
    mapping_id = add_files(tx, table, "key")
    for taken in (mapping_id, MappingId(-1), MappingId(2**63)):
        with pytest.raises(InvalidInput, match="out of range, or taken"):
            tx.add_mapping(table, taken, by_name("other"))
    with pytest.raises(InvalidInput, match="which the table does not have"):
        tx.add_mapping(table, MappingId(1), NameMapping((MappedColumn(0, "a", ColumnId(99)),)))
    assert commit(tx) is not None


def test_a_mapping_of_somebody_else_that_cannot_be_read_is_corrupt(main: Catalog) -> None:
    table_id = TableId(make_table(main).object_id)
    append(main)
    insert = "INSERT INTO lake_column_mapping VALUES (:catalog, :table, 9, 1, '{\"columns\": 3}')"
    with main.lake.store.writing([]) as (connection, _):
        connection.commit([Statement(insert, {"catalog": main.catalog_id, "table": table_id})])
    with pytest.raises(CorruptMetadata):
        view_at_head(main).mappings(table_id)
