"""What a table was when a file was written can be asked for later, also by forks and after it has changed."""

from dataclasses import replace

import pytest

from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import alter_table, create_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.errors import CorruptMetadata
from forklake.model.alterations import ColumnSpec, rename_column, set_column_type
from forklake.model.column_types import parse_type
from forklake.model.entities import UNCOMMITTED, TableDefinition
from forklake.model.ids import SnapshotId
from tests.backends.counting_store import counted
from tests.lakes import at, make_table, transaction


def rename_id(catalog: Catalog, old: str, new: str) -> SnapshotId:
    tx = begin(catalog)
    alter_table(tx, "main", "t", lambda definition: rename_column(definition, (old,), new))
    snapshot_id = commit(tx)
    assert snapshot_id is not None
    return snapshot_id


def names(versions: dict[SnapshotId, TableDefinition]) -> dict[SnapshotId, list[str]]:
    return {version: [column.name for column in definition.columns] for version, definition in versions.items()}


def test_every_version_is_found_also_those_that_ended(main: Catalog) -> None:
    make_table(main)
    first = get_table(begin(main), "main", "t").begin_snapshot
    second, third = rename_id(main, "id", "b"), rename_id(main, "b", "c")
    tx = begin(main)
    found = tx.table_versions(get_table(tx, "main", "t"), [first, second, third])
    assert names(found) == {first: ["id"], second: ["b"], third: ["c"]}


def test_a_fork_of_a_fork_finds_the_versions_of_its_ancestors_and_its_own(lake: Lake, main: Catalog) -> None:
    make_table(main)
    first = get_table(begin(main), "main", "t").begin_snapshot
    second = rename_id(main, "id", "b")
    child, _ = fork_catalog(lake, "main", "child")
    third = rename_id(child, "b", "c")
    grandchild, _ = fork_catalog(lake, "child", "grandchild")
    fourth = rename_id(grandchild, "c", "d")
    later = rename_id(main, "b", "later")
    _, fresh = counted(grandchild)
    tx = begin(fresh)
    table = get_table(tx, "main", "t")
    assert names(tx.table_versions(table, [first, second, third, fourth])) == {
        first: ["id"],
        second: ["b"],
        third: ["c"],
        fourth: ["d"],
    }
    with pytest.raises(CorruptMetadata, match=f"no version {later}"):
        tx.table_versions(table, [first, later])


def test_the_past_knows_no_version_of_its_future(main: Catalog) -> None:
    make_table(main)
    before = begin(main).base
    second = rename_id(main, "id", "b")
    _, fresh = counted(at(main, before))
    tx = begin(fresh)
    with pytest.raises(CorruptMetadata):
        tx.table_versions(get_table(tx, "main", "t"), [second])


def test_one_statement_asks_for_all_and_only_once(lake: Lake, main: Catalog) -> None:
    make_table(main)
    versions = [get_table(begin(main), "main", "t").begin_snapshot]
    versions += [rename_id(main, "id" if n == 0 else f"c{n}", f"c{n + 1}") for n in range(3)]
    child, _ = fork_catalog(lake, "main", "child")
    store, fresh = counted(main)
    tx = begin(fresh)
    table = get_table(tx, "main", "t")
    store.reset()
    assert names(tx.table_versions(table, versions[-1:])) == {versions[-1]: ["c3"]}
    assert store.statements == 0
    tx.table_versions(table, versions)
    assert store.trips == 1
    tx.table_versions(table, versions)
    in_fork = begin(replace(child, lake=fresh.lake))
    inherited = get_table(in_fork, "main", "t")
    store.reset()
    in_fork.table_versions(inherited, versions)
    assert store.statements == 0


def test_what_is_staged_is_the_uncommitted_version(main: Catalog) -> None:
    make_table(main, columns=[("id", "int")])
    tx = begin(main)
    table = get_table(tx, "main", "t")
    altered = alter_table(
        tx, "main", "t", lambda definition: set_column_type(definition, ("id",), parse_type("bigint"))
    )
    found = tx.table_versions(altered, [UNCOMMITTED, table.begin_snapshot])
    assert {version: definition.columns[0].type.name for version, definition in found.items()} == {
        UNCOMMITTED: "int64",
        table.begin_snapshot: "int32",
    }


def test_a_new_table_has_only_the_uncommitted_version(main: Catalog) -> None:
    with transaction(main) as tx:
        table = create_table(tx, "main", "new", [ColumnSpec("id", parse_type("int"))])
        assert tx.table_versions(table, [UNCOMMITTED]) == {UNCOMMITTED: table.definition}
        assert tx.table_versions(table, []) == {}
