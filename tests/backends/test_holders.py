"""Why a file is kept, and what dropping a catalog would free."""

import pytest

from forklake.catalog.lakes.catalogs import drop_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.retention.collect import collect_garbage
from forklake.catalog.retention.dropped import collect_dropped, dropped_catalogs
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.retention.file_holders import FileHolder, catalog_storage, drop_report, file_holders
from forklake.catalog.transaction.ddl import drop_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.errors import NoSuchCatalog
from forklake.model.ids import TableId
from tests.backends.test_expiry import LATER, add_file, end_file
from tests.lakes import delete_rows, make_table, metadata_rows, transaction


def path_of(lake: Lake, file_id: int) -> str:
    rows = metadata_rows(lake)["lake_data_file"]
    return next(str(row[5]) for row in rows if row[2] == file_id)


def test_a_file_is_kept_by_the_snapshots_that_show_it(lake: Lake, main: Catalog) -> None:
    make_table(main)
    file = add_file(main)
    first = begin(main).base
    add_file(main)
    last = begin(main).base
    end_file(main, file)
    assert file_holders(lake, path_of(lake, file)) == [FileHolder("main", "snapshots", first, last, 2)]


def test_a_file_is_kept_by_forks_that_left_where_it_was(lake: Lake, main: Catalog) -> None:
    make_table(main)
    file = add_file(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    birth = begin(fork).base
    fork_catalog(lake, "fork", "nested")
    end_file(main, file)
    fork_catalog(lake, "main", "later")
    expire_snapshots(main, older_than=LATER)
    holders = file_holders(lake, path_of(lake, file))
    assert [(holder.catalog_name, holder.reason, holder.snapshots) for holder in holders] == [
        ("fork", "fork", 1),
        ("nested", "fork", 1),
    ]
    assert holders[0].first_snapshot == birth


@pytest.mark.parametrize("how", ["ended", "dropped"])
def test_a_fork_keeps_a_file_even_where_none_of_its_snapshots_shows_it(lake: Lake, main: Catalog, how: str) -> None:
    make_table(main)
    file = add_file(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    if how == "ended":
        end_file(fork, file)
    else:
        with transaction(fork) as tx:
            drop_table(tx, "main", "t")
    fork_catalog(lake, "fork", "nested")
    end_file(main, file)
    for catalog in (main, fork):
        expire_snapshots(catalog, older_than=LATER)
    holders = file_holders(lake, path_of(lake, file))
    assert holders == [FileHolder("fork", "fork"), FileHolder("nested", "fork")]


def test_a_file_that_waits_for_its_deletion_says_so(lake: Lake, main: Catalog) -> None:
    make_table(main)
    file = add_file(main)
    path = path_of(lake, file)
    end_file(main, file)
    expire_snapshots(main, older_than=LATER)
    [holder] = file_holders(lake, path)
    assert (holder.catalog_name, holder.reason) == ("main", "waiting")
    assert holder.since is not None


def test_nobody_keeps_an_unknown_file(lake: Lake, main: Catalog) -> None:
    assert file_holders(lake, "main/nothing.parquet") == []


def test_a_catalog_without_forks_keeps_everything_alone(main: Catalog) -> None:
    make_table(main)
    add_file(main)
    with transaction(main) as tx:
        table = get_table(tx, "main", "t")
        delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 1)
    storage = catalog_storage(main)
    assert (storage.files_alone, storage.bytes_alone) == (2, 1100)
    assert (storage.files_shared, storage.bytes_shared) == (0, 0)


def test_a_fork_shares_what_it_inherited_and_keeps_its_own_alone(lake: Lake, main: Catalog) -> None:
    make_table(main)
    add_file(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    add_file(fork)
    add_file(fork)
    add_file(main)
    found = catalog_storage(fork)
    assert (found.files_alone, found.files_shared) == (2, 1)
    found = catalog_storage(main)
    assert (found.files_alone, found.files_shared) == (1, 1)


def test_a_fork_keeps_alone_what_its_parent_has_done_with(lake: Lake, main: Catalog) -> None:
    make_table(main)
    file = add_file(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    end_file(main, file)
    expire_snapshots(main, older_than=LATER)
    assert catalog_storage(fork).files_alone == 1
    second, _ = fork_catalog(lake, "fork", "second")
    assert catalog_storage(fork).files_alone == 0
    assert catalog_storage(second).files_shared == 1


def test_a_drop_frees_what_the_report_says(lake: Lake, main: Catalog) -> None:
    make_table(main)
    kept, ended = add_file(main), add_file(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    add_file(main)
    end_file(main, ended)
    end_file(fork, kept)
    report = drop_report(lake, "main")
    assert (report.files_freed, report.bytes_freed) == (1, 1000)
    assert (report.files_kept, report.bytes_kept) == (2, 2000)
    assert (report.forks, report.some_forks) == (1, ("fork",))
    drop_catalog(lake, "main")
    [dropped] = dropped_catalogs(lake)
    assert collect_dropped(lake, dropped).files == report.files_freed
    assert drop_report(lake, "fork").files_freed == 2
    drop_catalog(lake, "fork")
    assert sum(collect_garbage(lake, info.catalog_id, info.path).files for info in dropped_catalogs(lake)) == 2


def test_a_report_on_no_catalog_says_so(lake: Lake) -> None:
    with pytest.raises(NoSuchCatalog):
        drop_report(lake, "none")


def test_a_report_counts_the_forks_of_a_catalog_that_has_written_nothing(lake: Lake, main: Catalog) -> None:
    fork_catalog(lake, "main", "idle")
    fork_catalog(lake, "idle", "nested")
    report = drop_report(lake, "idle")
    assert (report.forks, report.some_forks) == (1, ("nested",))
