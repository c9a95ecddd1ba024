"""Forks of forks, however long the chain and whichever of its catalogs wrote something."""

import pytest

from forklake.catalog.lakes.catalogs import catalog_info
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.model.changes import ForkedFrom
from forklake.model.files import InlinedBatch, ScanFile
from forklake.model.ids import SnapshotId, TableId
from tests.lakes import (
    append,
    at,
    delete_all_but_one,
    end_files,
    file_ids,
    inline_rows,
    make_table,
    transaction,
)


def fork(lake: Lake, parent: str, name: str, *, version: int | None = None) -> Catalog:
    return fork_catalog(lake, parent, name, version=version)[0]


def contents(catalog: Catalog) -> tuple[list[ScanFile], list[InlinedBatch]]:
    """The files and inlined rows of table `t`."""
    tx = begin(catalog)
    table_id = TableId(get_table(tx, "main", "t").object_id)
    return sorted(tx.files(table_id)), tx.batches(table_id)


@pytest.fixture
def parent(main: Catalog) -> Catalog:
    """`main` with a table of two files and inlined rows."""
    make_table(main)
    append(main, 2)
    with transaction(main) as tx:
        inline_rows(tx, get_table(tx, "main", "t"), 5)
    return main


def test_a_fork_can_be_forked_at_a_snapshot_from_before_its_birth(lake: Lake, main: Catalog) -> None:
    make_table(main)
    first = append(main)
    seen = contents(main)
    append(main)
    child = fork(lake, "main", "child")
    append(child)
    grandchild = fork(lake, "child", "grandchild", version=first)
    assert contents(grandchild) == seen
    # The child has written nothing that the grandchild can see, so it is no part of its chain.
    assert [level.catalog_id for level in grandchild.lineage.levels] == [grandchild.catalog_id, main.catalog_id]
    append(grandchild)
    assert (len(file_ids(main)), len(file_ids(child)), len(file_ids(grandchild))) == (2, 3, 2)


def test_forks_of_forks_see_what_each_of_their_ancestors_had(lake: Lake, parent: Catalog) -> None:
    a = fork(lake, "main", "a")
    append(a)
    b = fork(lake, "a", "b")
    append(b)
    c = fork(lake, "b", "c")
    append(c)
    append(parent)
    append(a)
    assert file_ids(c) > file_ids(b)
    assert [len(file_ids(catalog)) for catalog in (parent, a, b, c)] == [3, 4, 4, 5]
    with transaction(c) as tx:
        end_files(tx)
    assert [len(file_ids(catalog)) for catalog in (parent, a, b, c)] == [3, 4, 4, 0]


def test_what_a_fork_ended_stays_ended_in_its_own_forks(lake: Lake, parent: Catalog) -> None:
    child = fork(lake, "main", "child")
    before_delete = fork(lake, "child", "early")
    with transaction(child) as tx:
        delete_all_but_one(tx)
    seen = contents(child)
    late = fork(lake, "child", "late")
    assert contents(late) == seen
    assert contents(before_delete) == contents(parent)


def test_forks_of_a_fork_that_never_wrote_do_not_lengthen_the_chain(lake: Lake, parent: Catalog) -> None:
    name = "main"
    for i in range(20):
        child = fork(lake, name, f"f{i}")
        name = child.name
    assert len(child.lineage.levels) == 2
    assert catalog_info(child).depth == 20
    assert contents(child) == contents(parent)


@pytest.mark.parametrize("depth", [100, 300])
def test_a_long_chain_of_forks_that_all_wrote_reads_right(lake: Lake, main: Catalog, depth: int) -> None:
    make_table(main)
    catalog = main
    for i in range(depth):
        catalog = fork(lake, catalog.name, f"f{i}")
        append(catalog)
    assert len(catalog.lineage.levels) == depth + 1
    assert len(file_ids(catalog)) == depth
    with transaction(catalog) as tx:
        end_files(tx)
    assert file_ids(catalog) == set()
    [birth] = [s.snapshot_id for s in list_snapshots(catalog) if s.changes == (ForkedFrom(main.catalog_id),)]
    assert file_ids(at(catalog, birth)) == set()
    assert len(file_ids(at(catalog, SnapshotId(birth + 1)))) == 1
