"""Expired snapshots take with them what nobody else can see, and nothing that anybody can."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from forklake.catalog.lakes.catalogs import catalog_info, create_catalog, drop_catalog, find_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.planning.scan_planning import plan_delete, plan_scan
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.view import view_at
from forklake.catalog.retention.dropped import collect_dropped, dropped_catalogs, forget_dropped
from forklake.catalog.retention.due_files import delete_due, list_due
from forklake.catalog.retention.expiry import expire_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import alter_table, drop_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.options import effective_option, set_option
from forklake.catalog.transaction.transaction import begin
from forklake.errors import CommitConflict, InvalidInput, NoSuchSnapshot, ReadOnly
from forklake.model.alterations import rename_column
from forklake.model.files import DataFile, NewDataFile, ScheduledFile
from forklake.model.ids import DataFileId, SnapshotId, TableId
from forklake.model.predicates import Comparison
from tests.lakes import append, at, delete_rows, file_ids, inline_rows, make_table, metadata_rows, transaction

LATER = datetime(2100, 1, 1, tzinfo=UTC)


def add_file(catalog: Catalog, name: str = "t") -> DataFileId:
    """Commit a file that lies in the catalog's own folder."""
    with transaction(catalog) as tx:
        [file_id] = tx.new_ids("file")
        file = DataFile(DataFileId(file_id), f"{catalog.path}/main/{name}/{file_id}.parquet", 10, 1000)
        tx.append_files(get_table(tx, "main", name), [NewDataFile(file)])
    return DataFileId(file_id)


def end_file(catalog: Catalog, file_id: DataFileId, name: str = "t") -> SnapshotId:
    tx = begin(catalog)
    table = get_table(tx, "main", name)
    tx.end_files(table, [file for file in tx.files(TableId(table.object_id)) if file.data.data_file_id == file_id])
    ended = commit(tx)
    assert ended is not None
    return ended


def scheduled(lake: Lake, catalog: Catalog) -> set[int]:
    return {file.file_id for file in list_due(lake, catalog.catalog_id, None)}


def expire_all(catalog: Catalog) -> list[SnapshotId]:
    return [snapshot.snapshot_id for snapshot in expire_snapshots(catalog, older_than=LATER)]


def test_only_the_newest_snapshot_is_left(main: Catalog) -> None:
    make_table(main)
    append(main)
    head = append(main)
    before = [snapshot.snapshot_id for snapshot in list_snapshots(main)]
    assert expire_all(main) == before[:-1]
    assert [snapshot.snapshot_id for snapshot in list_snapshots(main)] == [head]
    assert expire_all(main) == []


def test_an_age_expires_what_is_older_and_nothing_else(main: Catalog) -> None:
    make_table(main)
    kept = append(main)
    append(main)
    time = next(snapshot.snapshot_time for snapshot in list_snapshots(main) if snapshot.snapshot_id == kept)
    expired = expire_snapshots(main, older_than=time)
    assert [snapshot.snapshot_id for snapshot in expired] == [1, 2]
    assert next(snapshot.snapshot_id for snapshot in list_snapshots(main)) == kept


def test_a_dry_run_says_what_would_expire_and_expires_nothing(lake: Lake, main: Catalog) -> None:
    make_table(main)
    append(main)
    before = metadata_rows(lake)
    assert [snapshot.snapshot_id for snapshot in expire_snapshots(main, older_than=LATER, dry_run=True)] == [1, 2]
    assert metadata_rows(lake) == before


def test_numbers_expire_these_snapshots_and_never_the_newest(main: Catalog) -> None:
    make_table(main)
    middle, head = append(main), append(main)
    assert [found.snapshot_id for found in expire_snapshots(main, versions=[middle, head])] == [middle]
    with pytest.raises(NoSuchSnapshot):
        view_at(main, version=middle)
    assert view_at(main, version=head).snapshot_id == head


def test_numbers_and_an_age_at_once_are_refused(main: Catalog) -> None:
    with pytest.raises(InvalidInput, match="cannot specify both"):
        expire_snapshots(main, versions=[1], older_than=LATER)


def test_a_time_without_a_zone_is_refused(main: Catalog) -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        expire_snapshots(main, older_than=datetime(2020, 1, 1))


def test_neither_numbers_nor_an_age_expire_nothing(main: Catalog) -> None:
    make_table(main)
    assert expire_snapshots(main) == []
    assert len(list_snapshots(main)) == 2


def test_a_catalog_attached_in_the_past_cannot_expire_anything(main: Catalog) -> None:
    make_table(main)
    with pytest.raises(ReadOnly):
        expire_snapshots(at(main, SnapshotId(1)), older_than=LATER)


def test_a_dry_run_is_allowed_on_a_catalog_attached_in_the_past(main: Catalog) -> None:
    make_table(main)
    expected = expire_snapshots(main, older_than=LATER, dry_run=True)
    assert expected
    assert expire_snapshots(at(main, expected[-1].snapshot_id), older_than=LATER, dry_run=True) == expected


def test_a_file_that_only_expired_snapshots_show_is_scheduled(lake: Lake, main: Catalog) -> None:
    make_table(main)
    gone, kept = add_file(main), add_file(main)
    end_file(main, gone)
    assert scheduled(lake, main) == set()
    expire_all(main)
    assert scheduled(lake, main) == {gone}
    assert file_ids(main) == {kept}
    assert gone not in {row[3] for row in metadata_rows(lake)["lake_file_column_stats"]}


def test_a_file_that_a_kept_snapshot_shows_stays(lake: Lake, main: Catalog) -> None:
    make_table(main)
    file = add_file(main)
    shows = list_snapshots(main)[-1].snapshot_id
    end_file(main, file)
    expire_snapshots(main, versions=[1, 2])
    assert scheduled(lake, main) == set()
    assert file_ids(at(main, shows)) == {file}


def test_a_file_that_a_fork_sees_stays_until_the_fork_is_dropped(lake: Lake, main: Catalog) -> None:
    make_table(main)
    file = add_file(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    grandchild, _ = fork_catalog(lake, "fork", "grandchild")
    end_file(main, file)
    expire_all(main)
    assert scheduled(lake, main) == set()
    assert file_ids(fork) == file_ids(grandchild) == {file}
    drop_catalog(lake, "fork")
    expire_all(main)
    assert scheduled(lake, main) == set()
    assert file_ids(grandchild) == {file}
    drop_catalog(lake, "grandchild")
    expire_snapshots(main)
    assert scheduled(lake, main) == {file}


def test_a_fork_in_the_past_keeps_what_it_sees(lake: Lake, main: Catalog) -> None:
    make_table(main)
    first = add_file(main)
    shows = list_snapshots(main)[-1].snapshot_id
    end_file(main, first)
    second = add_file(main)
    fork, _ = fork_catalog(lake, "main", "fork", version=shows)
    end_file(main, second)
    expire_all(main)
    assert scheduled(lake, main) == {second}
    assert file_ids(fork) == {first}


def test_expiry_in_a_fork_touches_nothing_of_its_parent(lake: Lake, main: Catalog) -> None:
    make_table(main)
    inherited = add_file(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    own = add_file(fork)
    end_file(fork, inherited)
    end_file(fork, own)
    before = metadata_rows(lake, main)
    expire_all(fork)
    assert metadata_rows(lake, main) == before
    assert scheduled(lake, fork) == {own}
    assert file_ids(main) == {inherited}
    assert file_ids(fork) == set()


def test_a_fork_cannot_expire_what_its_parent_made(lake: Lake, main: Catalog) -> None:
    make_table(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    with pytest.raises(InvalidInput, match="ancestor"):
        expire_snapshots(fork, versions=[1])
    assert expire_all(fork) == []


def test_a_dropped_table_goes_with_all_it_holds(lake: Lake, main: Catalog) -> None:
    make_table(main)
    table = make_table(main, "gone")
    file = add_file(main, "gone")
    with transaction(main) as tx:
        inline_rows(tx, get_table(tx, "main", "gone"), 3)
    with transaction(main) as tx:
        found = get_table(tx, "main", "gone")
        delete_rows(tx, found, tx.files(TableId(found.object_id))[0], 2)
    with transaction(main) as tx:
        drop_table(tx, "main", "gone")
    assert scheduled(lake, main) == set()
    expire_all(main)
    assert file in scheduled(lake, main)
    left = {
        name: [row for row in rows if table.object_id in row[1:4]]
        for name, rows in metadata_rows(lake, main).items()
        if name not in ("lake_snapshot", "lake_scheduled_file")
    }
    assert {name: rows for name, rows in left.items() if rows} == {}


def test_options_of_a_dropped_table_go_and_those_of_an_inherited_one_stay(lake: Lake, main: Catalog) -> None:
    for name in ("t", "kept"):
        make_table(main, name)
    fork, _ = fork_catalog(lake, "main", "fork")
    for catalog in (main, fork):
        for name in ("t", "kept"):
            with transaction(catalog) as tx:
                set_option(tx, "target_file_size", "1MB", table=name)
    with transaction(main) as tx:
        drop_table(tx, "main", "t")
    for catalog in (main, fork):
        expire_all(catalog)
    assert len(metadata_rows(lake, main)["lake_option"]) == 2
    assert len(metadata_rows(lake, fork)["lake_option"]) == 2
    drop_catalog(lake, "fork")
    expire_all(main)
    assert len(metadata_rows(lake, main)["lake_option"]) == 1


def test_a_dropped_table_stays_for_a_fork(lake: Lake, main: Catalog) -> None:
    make_table(main)
    file = add_file(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    with transaction(main) as tx:
        drop_table(tx, "main", "t")
    expire_all(main)
    assert file_ids(fork) == {file}
    assert scheduled(lake, main) == set()


def test_delete_files_go_as_soon_as_none_reads_them(lake: Lake, main: Catalog) -> None:
    make_table(main)
    add_file(main)
    for count in (1, 2, 3):
        with transaction(main) as tx:
            table = get_table(tx, "main", "t")
            delete_rows(tx, table, tx.files(TableId(table.object_id))[0], count)
    expire_all(main)
    assert len(metadata_rows(lake)["lake_delete_file"]) == 1
    [file] = begin(main).files(TableId(get_table(begin(main), "main", "t").object_id))
    assert file.delete is not None
    assert file.delete.delete_count == 3


def test_the_names_that_files_were_written_with_outlive_their_snapshots(main: Catalog) -> None:
    make_table(main)
    with transaction(main) as tx:
        table = get_table(tx, "main", "t")
        [file_id] = tx.new_ids("file")
        file = DataFile(DataFileId(file_id), "main/f.parquet", 10, 1000, table_version=tx.version_of(table))
        tx.append_files(table, [NewDataFile(file)])
    with transaction(main) as tx:
        alter_table(tx, "main", "t", lambda definition: rename_column(definition, ("id",), "number"))
    expire_all(main)
    tx = begin(main)
    found = get_table(tx, "main", "t")
    versions = view_at(main, version=tx.base).table_versions(TableId(found.object_id), [table.begin_snapshot])
    assert versions[table.begin_snapshot].columns[0].name == "id"


def test_statistics_and_options_of_old_snapshots_go(lake: Lake, main: Catalog) -> None:
    make_table(main)
    for size in range(5):
        append(main)
        with transaction(main) as tx:
            set_option(tx, "target_file_size", f"{size + 1}MB")
    expire_all(main)
    rows = metadata_rows(lake, main)
    assert len(rows["lake_table_stats"]) == 1
    assert len(rows["lake_option"]) == 1
    assert begin(main).view.stats(TableId(get_table(begin(main), "main", "t").object_id)).record_count == 50


def test_a_file_elsewhere_is_never_scheduled(lake: Lake, main: Catalog) -> None:
    make_table(main)
    with transaction(main) as tx:
        ids = tx.new_ids("file", 3)
        paths = [("/elsewhere/f.parquet", False), ("other/main/t/f.parquet", True), (f"{main.path}/../x.parquet", True)]
        files = [
            NewDataFile(DataFile(DataFileId(file_id), path, 10, 1000, path_is_relative=relative))
            for file_id, (path, relative) in zip(ids, paths, strict=True)
        ]
        tx.append_files(get_table(tx, "main", "t"), files)
    for file_id in ids:
        end_file(main, DataFileId(file_id))
    expire_all(main)
    assert metadata_rows(lake)["lake_data_file"] == []
    assert metadata_rows(lake)["lake_scheduled_file"] == []


def test_a_reader_whose_snapshot_expires_is_told_so(main: Catalog) -> None:
    make_table(main)
    file = add_file(main)
    reader = begin(main)
    table = get_table(reader, "main", "t")
    table_id = TableId(table.object_id)
    end_file(main, file)
    expire_all(main)
    reads: list[Callable[[], object]] = [
        lambda: reader.files(table_id),
        lambda: reader.batches(table_id),
        lambda: reader.view.stats(table_id),
        lambda: reader.objects_in(table.schema_id),
        lambda: plan_scan(reader, table, Comparison(("id",), "=", 5)),
        lambda: plan_delete(reader, table, Comparison(("id",), "=", 5)),
        lambda: effective_option(reader, "target_file_size", table),
    ]
    for read in reads:
        with pytest.raises(NoSuchSnapshot, match="has expired"):
            read()


def test_a_reader_of_the_newest_snapshot_notices_nothing(main: Catalog) -> None:
    make_table(main)
    file = add_file(main)
    reader = begin(main)
    expire_all(main)
    assert [found.data.data_file_id for found in reader.files(TableId(get_table(reader, "main", "t").object_id))] == [
        file
    ]


@pytest.mark.parametrize("which", ["base", "later"])
def test_a_writer_cannot_commit_over_expired_snapshots(main: Catalog, which: str) -> None:
    make_table(main)
    append(main)
    writer = begin(main)
    writer.append_files(get_table(writer, "main", "t"), [])
    set_option(writer, "target_file_size", "1MB")
    base = writer.base
    later = append(main)
    append(main)
    expire_snapshots(main, versions=[base if which == "base" else later])
    with pytest.raises(CommitConflict, match="expired"):
        commit(writer)


def test_a_writer_on_top_of_kept_snapshots_commits_as_ever(main: Catalog) -> None:
    make_table(main)
    append(main)
    writer = begin(main)
    set_option(writer, "target_file_size", "1MB")
    append(main)
    expire_snapshots(main, versions=[1, 2])
    assert commit(writer) is not None


def waiting(lake: Lake, main: Catalog) -> DataFileId:
    """A file that waits for its deletion."""
    make_table(main)
    file = add_file(main)
    end_file(main, file)
    expire_all(main)
    return file


def test_deleted_files_wait_no_longer(lake: Lake, main: Catalog) -> None:
    file = waiting(lake, main)
    assert [[found.file_id for found in batch] for batch in delete_due(lake, main.catalog_id, None, list)] == [[file]]
    assert scheduled(lake, main) == set()


def test_files_that_cannot_be_deleted_wait_on(lake: Lake, main: Catalog) -> None:
    file = waiting(lake, main)
    assert list(delete_due(lake, main.catalog_id, None, lambda files: [])) == [[]]
    assert scheduled(lake, main) == {file}


def test_a_failure_in_the_middle_leaves_the_files_waiting(lake: Lake, main: Catalog) -> None:
    file = waiting(lake, main)

    def fail(files: object) -> list[ScheduledFile]:
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="disk"):
        list(delete_due(lake, main.catalog_id, None, fail))
    assert scheduled(lake, main) == {file}


def test_a_file_is_deleted_only_after_its_time(lake: Lake, main: Catalog) -> None:
    file = waiting(lake, main)
    yesterday = datetime.now(UTC) - timedelta(days=1)
    assert list_due(lake, main.catalog_id, yesterday) == []
    assert list(delete_due(lake, main.catalog_id, yesterday, list)) == []
    assert scheduled(lake, main) == {file}


@pytest.mark.parametrize("how", ["id", "path"])
@pytest.mark.parametrize("table", ["lake_data_file", "lake_delete_file"])
def test_a_file_that_any_catalog_names_is_not_deleted(lake: Lake, main: Catalog, how: str, table: str) -> None:
    file = waiting(lake, main)
    other = create_catalog(lake, "other")
    make_table(other)
    [waits] = list_due(lake, main.catalog_id, None)
    with transaction(other) as tx:
        [new] = tx.new_ids("file")
        name = waits.path if how == "path" else "other/x.parquet"
        file_id = DataFileId(file if how == "id" else new)
        tx.append_files(get_table(tx, "main", "t"), [NewDataFile(DataFile(file_id, name, 10, 1000))])
    if table == "lake_delete_file":
        with transaction(other) as tx:
            found = get_table(tx, "main", "t")
            delete_rows(tx, found, tx.files(TableId(found.object_id))[0], 1)
        column = "delete_file_id" if how == "id" else "path"
        value = file if how == "id" else waits.path
        lake.store.fetch(f"UPDATE lake_delete_file SET {column} = :value RETURNING 1", {"value": value})
        lake.store.fetch("DELETE FROM lake_data_file WHERE catalog_id = :id RETURNING 1", {"id": other.catalog_id})
    assert list(delete_due(lake, main.catalog_id, None, list)) == []
    assert scheduled(lake, main) == {file}


def test_a_dropped_catalog_goes_when_nobody_sees_anything_of_it(lake: Lake, main: Catalog) -> None:
    make_table(main)
    file = add_file(main)
    fork, _ = fork_catalog(lake, "main", "fork")
    own = add_file(fork)
    drop_catalog(lake, "main")
    [dropped] = dropped_catalogs(lake)
    assert collect_dropped(lake, dropped).files == 0
    assert not forget_dropped(lake, dropped)
    assert file_ids(fork) == {file, own}
    drop_catalog(lake, "fork")
    found = list(dropped_catalogs(lake))
    assert [info.name for info in found] == ["fork", "main"]
    assert [collect_dropped(lake, info).files for info in found] == [1, 1]
    assert not any(forget_dropped(lake, info) for info in found)
    for info in found:
        assert [len(batch) for batch in delete_due(lake, info.catalog_id, None, list)] == [1]
    assert all(forget_dropped(lake, info) for info in found)
    left = {name: rows for name, rows in metadata_rows(lake).items() if rows}
    assert left.keys() <= {"lake_info", "lake_counter"}


def test_a_live_catalog_cannot_be_forgotten(lake: Lake, main: Catalog) -> None:
    assert not forget_dropped(lake, catalog_info(main))
    assert find_catalog(lake, "main").catalog_id == main.catalog_id


def test_a_name_that_is_used_again_has_a_folder_of_its_own(lake: Lake, main: Catalog) -> None:
    make_table(main)
    file = add_file(main)
    fork_catalog(lake, "main", "fork")
    drop_catalog(lake, "main")
    again = create_catalog(lake, "main")
    assert again.path != main.path
    [dropped] = dropped_catalogs(lake)
    collect_dropped(lake, dropped)
    assert file_ids(find_catalog(lake, "fork")) == {file}
    assert again.catalog_id != main.catalog_id
