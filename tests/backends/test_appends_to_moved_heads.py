"""Rows are added in one round trip even if others have added some since, and everything is as on the long way."""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, RetrySettings, new_handle
from forklake.catalog.lakes.lake_cache import SnapshotFacts
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.view import view_at_head
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_schema, drop_table, rename_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.options import set_option
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import CommitConflict, CommitMessageRequired, InvalidInput
from forklake.model.file_checks import LARGEST
from forklake.model.files import DataFile, InlinedBatch, NewDataFile, TableStats
from forklake.model.ids import BatchId, ColumnId, DataFileId, TableId
from forklake.model.statistics import ColumnStats
from forklake.store.appends import MAX_FOLLOWERS
from tests.backends.counting_store import CountingStore, counted
from tests.backends.test_expiry import expire_all
from tests.backends.test_lost_answers import LosingStore, stage_file
from tests.lakes import append, delete_rows, end_files, file_ids, inline_rows, make_table, new_files, transaction

Other = Callable[[Transaction], object]


@pytest.fixture
def known(main: Catalog) -> tuple[CountingStore, Catalog]:
    """A catalog with the tables `t` and `u`, to which another client has written last, and the store that counts."""
    for name in ("t", "u"):
        make_table(main, name)
        append(main, 2, name=name)
    store, catalog = counted(main)
    for name in ("t", "u"):
        append(catalog, name=name)
    append(main)
    store.reset()
    return store, catalog


def _table_id(catalog: Catalog, name: str = "t") -> TableId:
    return TableId(get_table(begin(catalog), "main", name).object_id)


def _stats(catalog: Catalog, name: str = "t") -> TableStats:
    return view_at_head(catalog).stats(_table_id(catalog, name))


def _row_ids(catalog: Catalog) -> list[int]:
    """The row ids of all files and batches of `t`, in order."""
    view, table_id = view_at_head(catalog), _table_id(catalog)
    files = [(file.data.row_id_start, file.data.record_count) for file in view.files(table_id)]
    batches = [(batch.row_id_start, batch.row_count) for batch in view.batches(table_id)]
    return sorted(start + i for start, count in [*files, *batches] for i in range(count) if start is not None)


def test_files_and_rows_are_added_in_one_trip_while_others_add_some(
    main: Catalog, known: tuple[CountingStore, Catalog]
) -> None:
    store, catalog = known
    for turn in range(3):
        tx = begin(catalog)
        table = get_table(tx, "main", "t")
        tx.append_files(table, new_files(tx, 2, low=100 * turn))
        inline_rows(tx, table, 3)
        tx.append_files(get_table(tx, "main", "u"), new_files(tx, 1))
        append(main)
        with transaction(main) as theirs:
            inline_rows(theirs, get_table(theirs, "main", "t"), 2)
        store.reset()
        assert commit(tx) is not None
        assert (store.short, store.long, store.trips) == (1, 0, 1)
    stats = _stats(main)
    assert (stats.record_count, stats.next_row_id) == (40 + 3 * 35, 40 + 3 * 35)
    assert _row_ids(main) == list(range(stats.next_row_id))
    assert _stats(main, "u").record_count == 60
    history = list_snapshots(main)
    assert [after.previous_snapshot_id for after in history[1:]] == [before.snapshot_id for before in history[:-1]]


def _delete_elsewhere(tx: Transaction) -> None:
    table = get_table(tx, "main", "u")
    delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 1)


@pytest.mark.parametrize(
    "other",
    [_delete_elsewhere, lambda tx: create_schema(tx, "s"), lambda tx: set_option(tx, "target_file_size", 1000),
     lambda tx: rename_table(tx, "main", "t", "moved")],
    ids=["delete", "create", "option", "rename"],
)  # fmt: skip
def test_whatever_else_others_do_is_checked_on_the_long_way(
    main: Catalog, known: tuple[CountingStore, Catalog], other: Other
) -> None:
    store, catalog = known
    tx = begin(catalog)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    with transaction(main) as theirs:
        other(theirs)
    store.reset()
    assert commit(tx) is not None
    assert (store.short, store.long) == (0, 1)


@pytest.mark.parametrize(
    "other", [lambda tx: drop_table(tx, "main", "t"), end_files, lambda tx: _delete_from(tx)],
    ids=["drop", "end", "delete"],
)  # fmt: skip
def test_conflicts_are_found_after_appends_of_others(
    main: Catalog, known: tuple[CountingStore, Catalog], other: Other
) -> None:
    _, catalog = known
    tx = begin(catalog)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    append(main)
    with transaction(main) as theirs:
        other(theirs)
    append(main, name="u")
    with pytest.raises(CommitConflict):
        commit(tx)


def _delete_from(tx: Transaction) -> None:
    table = get_table(tx, "main", "t")
    delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 1)


def test_a_delete_that_was_only_searched_for_conflicts_with_appends_of_others(
    main: Catalog, known: tuple[CountingStore, Catalog]
) -> None:
    _, catalog = known
    tx = begin(catalog)
    table = get_table(tx, "main", "t")
    tx.note_delete(table)
    tx.append_files(table, new_files(tx, 1))
    append(main)
    with pytest.raises(CommitConflict):
        commit(tx)


def test_what_has_expired_since_the_transaction_began_is_a_conflict(
    main: Catalog, known: tuple[CountingStore, Catalog]
) -> None:
    _, catalog = known
    tx = begin(catalog)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    append(main)
    append(main)
    expire_all(main)
    with pytest.raises(CommitConflict, match="expired"):
        commit(tx)


def test_whoever_has_not_committed_for_long_takes_the_long_way_once(
    main: Catalog, known: tuple[CountingStore, Catalog]
) -> None:
    store, catalog = known
    for _ in range(MAX_FOLLOWERS - 1):
        append(main)
    store.reset()
    append(catalog)
    append(main)
    append(catalog)
    assert (store.short, store.long) == (1, 1)
    assert _row_ids(main) == list(range(_stats(main).next_row_id))


def test_a_message_that_others_have_required_meanwhile_is_asked_for(
    main: Catalog, known: tuple[CountingStore, Catalog]
) -> None:
    _, catalog = known
    tx = begin(catalog)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    with transaction(main) as theirs:
        set_option(theirs, "require_commit_message", True)
    with pytest.raises(CommitMessageRequired):
        commit(tx)


def test_a_transaction_from_before_the_last_commit_of_its_process_is_checked_from_its_own_begin(
    main: Catalog, known: tuple[CountingStore, Catalog]
) -> None:
    _, catalog = known
    tx = begin(catalog)
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))
    with transaction(main) as theirs:
        end_files(theirs)
    append(catalog, name="u")
    with pytest.raises(CommitConflict):
        commit(tx)


def test_a_fork_adds_to_what_it_has_inherited(main: Catalog) -> None:
    make_table(main)
    append(main, 2)
    fork, _ = fork_catalog(main.lake, main.name, "f")
    store, catalog = counted(fork)
    append(catalog)
    append(fork)
    store.reset()
    append(catalog)
    assert (store.short, store.long) == (1, 0)
    assert _row_ids(fork) == list(range(50))
    assert _row_ids(main) == list(range(20))


def test_row_ids_that_files_bring_along_are_kept(main: Catalog, known: tuple[CountingStore, Catalog]) -> None:
    store, catalog = known
    tx = begin(catalog)
    [new] = new_files(tx, 1)
    tx.append_files(get_table(tx, "main", "t"), [replace(new, file=new.file._replace(row_id_start=7))])
    [embedding] = new_files(tx, 1)
    tx.append_files(get_table(tx, "main", "t"), [replace(embedding, embeds_row_ids=True)])
    append(main)
    store.reset()
    assert commit(tx) is not None
    assert (store.short, store.long) == (0, 1)
    files = {
        scanned.data.data_file_id: scanned.data.row_id_start for scanned in view_at_head(main).files(_table_id(main))
    }
    assert files[new.file.data_file_id] == 7
    assert files[embedding.file.data_file_id] is None


def test_totals_that_no_database_can_store_are_refused(main: Catalog, known: tuple[CountingStore, Catalog]) -> None:
    _, catalog = known
    tx = begin(catalog)
    [new] = new_files(tx, 1)
    tx.append_files(get_table(tx, "main", "t"), [replace(new, file=new.file._replace(file_size_bytes=LARGEST - 1))])
    append(main)
    before = _stats(main)
    with pytest.raises(InvalidInput):
        commit(tx)
    assert _stats(main) == before


def test_counts_whose_sum_is_no_integer_of_the_database_are_added(main: Catalog) -> None:
    make_table(main, "t", [("c", "bigint")])
    _, catalog = counted(main)
    for _ in range(3):
        for each in (main, catalog):
            tx = begin(each)
            [new] = new_files(tx, 1)
            stats = ColumnStats(ColumnId(1), LARGEST - 1, LARGEST - 1, "1", "2")
            tx.append_files(get_table(tx, "main", "t"), [replace(new, column_stats=(stats,))])
            commit(tx)
    [column] = _stats(main).columns.values()
    assert (column.value_count, column.null_count) == (6 * (LARGEST - 1), 6 * (LARGEST - 1))


def test_a_commit_whose_answer_is_lost_is_there_once(main: Catalog) -> None:
    make_table(main)
    append(main)
    store = LosingStore(main.lake.store)
    catalog = replace(main, lake=new_handle(store, main.lake.data_path, RetrySettings(3, 1, 1)))
    append(catalog)
    append(main)
    store.meanwhile = lambda: append(main)
    before, store.loses = list_snapshots(main), True
    tx = begin(catalog)
    file_id, _ = stage_file(tx)
    store.reset()
    snapshot_id = commit(tx)
    assert (store.short, store.long) == (1, 0)
    assert list_snapshots(main)[len(before)].snapshot_id == snapshot_id
    assert len(list_snapshots(main)) == len(before) + 2
    assert file_id in file_ids(main)
    assert _stats(main).record_count == 50


@pytest.mark.parametrize("bound", ["true", "1e+400", "odd"])
def test_bounds_that_the_database_cannot_read_are_compared_on_the_long_way(main: Catalog, bound: str) -> None:
    make_table(main, "t", [("c", "double")])
    _add_file_with_bounds(main, bound, bound)
    store, catalog = counted(main)
    for _ in range(2):
        _add_file_with_bounds(catalog, "0.5", "7.0")
        _add_file_with_bounds(main, "0.5", "7.0")
    [column] = _stats(main).columns.values()
    assert (column.value_count, column.max_value) == (50, {"true": "7.0", "1e+400": "1e+400", "odd": None}[bound])
    assert store.short + store.long == 2


def _add_file_with_bounds(catalog: Catalog, low: str, high: str) -> None:
    tx = begin(catalog)
    [new] = new_files(tx, 1)
    stats = ColumnStats(ColumnId(1), 10, 0, low, high)
    tx.append_files(get_table(tx, "main", "t"), [replace(new, column_stats=(stats,))])
    commit(tx)


BOUNDS: Mapping[str, list[str | None]] = {
    "bigint": ["-9223372036854775808", "9223372036854775807", "9007199254740993", "9007199254740992", "-1", "0", "10"],
    "boolean": ["0", "1", "true", "false"],
    "decimal(38,10)": ["-0.0000000001", "9999999999999999999999999999.9999999999", "1.0000000000", "1.5"],
    "float": ["-inf", "inf", "0.0", "-1.5", "1e+20", "3.4028234663852886e+38", "1e-45"],
    "double": ["-inf", "inf", "5e-324", "1.7976931348623157e+308", "1e+16", "-0.5", "12", "1e+400", "nan"],
    "date": ["2020-01-31", "1969-12-31", "9999-12-31", "0001-01-01", "-0001-01-01", "10000-01-01", "infinity"],
    "time": ["00:00:00", "23:59:59.999999", "12:34:56.5", "12:34:56.45"],
    "timestamp": ["2020-01-01 00:00:00", "2020-01-01 00:00:00.5", "2020-01-01 00:00:00.45", "2020-01-01", "infinity"],
    "timestamptz": ["2020-01-01 00:00:00+00", "2020-01-01 00:00:00.5+00", "2020-01-01 01:00:00+02"],
    "varchar": ["", "a", "B", "ä", "zoë 🦆", "\uffff", "'\"\\ {}", "true", "10", "9"],
    "blob": ["", "00", "FF", "0A", "0A00"],
    "uuid": ["00000000-0000-0000-0000-000000000000", "01234567-89ab-4def-8123-456789abcdef"],
    "json": ["null", '"text"'],
    "interval": ["1 day"],
}


def _random_stats(random_: random.Random, column_id: int, bounds: list[str | None]) -> ColumnStats:
    """Statistics with ordinary and odd bounds; some are unknown, and some of no rows."""
    values = random_.choice([None, 0, 3, 10, 10, 10])
    low, high = (random_.choice([*bounds, *bounds, None]) if values != 0 else None for _ in range(2))
    return ColumnStats(
        ColumnId(column_id), values, random_.choice([None, 0, 5]), low, high,
        random_.choice([None, False, False, True]), random_.choice([None, 100]), random_.choice([None, None, "x", "y"]),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_statistics_and_row_ids_are_those_of_the_long_way(main: Catalog, seed: int) -> None:
    random_ = random.Random(seed)
    make_table(main, "t", [(f"c{number}", type_) for number, type_ in enumerate(BOUNDS)])
    fork, _ = fork_catalog(main.lake, main.name, "f")
    store, shorts = counted(main)
    forgetful = replace(fork, lake=replace(fork.lake, cache=replace(fork.lake.cache, facts=SnapshotFacts(size=0))))
    leaves = [leaf.column_id for _, leaf in get_table(begin(main), "main", "t").definition.leaves()]
    common: list[list[str | None]] = [bounds[: random_.choice([2, 4, 99])] for bounds in BOUNDS.values()]
    for _ in range(40):
        batch = random_.random() < 0.5
        stats = [
            tuple(_random_stats(random_, i, bounds) for i, bounds in zip(leaves, common, strict=True))
            for _ in range(random_.choice([1, 1, 3]))
        ]
        for catalog in (main if random_.random() < 0.3 else shorts, forgetful):
            tx = begin(catalog)
            table = get_table(tx, "main", "t")
            for of_one, file_id in zip(stats, tx.new_ids("file", len(stats)), strict=True):
                if batch:
                    version = table.begin_snapshot
                    tx.insert_inlined(table, InlinedBatch(BatchId(file_id), version, 4, b"rows"), of_one)
                else:
                    file = DataFile(DataFileId(file_id), f"{file_id}.parquet", 4, 100)
                    tx.append_files(table, [NewDataFile(file, of_one)])
            commit(tx)
        assert _comparable(_stats(main)) == _comparable(_stats(fork))
        assert _row_ids(main) == _row_ids(fork) == list(range(_stats(main).next_row_id))
    assert store.short > 3


def _comparable(stats: TableStats) -> TableStats:
    """Equal widths may be an integer in one JSON document and a float in the other."""
    return replace(stats, columns=dict(stats.columns), widths={i: float(width) for i, width in stats.widths.items()})
