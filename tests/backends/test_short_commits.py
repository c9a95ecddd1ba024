"""Plain appends on top of a known head go the short way, in one round trip; it leaves what the long way leaves."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake, new_handle
from forklake.catalog.lakes.lake_cache import SnapshotFacts
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.reading.view import view_at_head
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import alter_table, create_schema, create_table, drop_table, rename_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.options import effective_option, list_options, set_instance_option, set_option
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import CommitMessageRequired, NoSuchSnapshot
from forklake.model.alterations import ColumnSpec, add_column
from forklake.model.column_types import parse_type
from forklake.model.files import InlinedBatch, NewDataFile
from forklake.model.ids import BatchId, ColumnId, MappingId, TableId
from forklake.model.mappings import MappedColumn, NameMapping
from forklake.model.statistics import ColumnStats
from forklake.store.metadata_tables import TABLES
from forklake.store.snapshot_writer import SNAPSHOT_COLUMNS
from tests.backends.counting_store import CountingStore, counted
from tests.backends.table_changes import BIGINT
from tests.backends.test_expiry import expire_all
from tests.conftest import Place
from tests.lakes import (
    append,
    delete_rows,
    end_inlined,
    inline_rows,
    make_table,
    metadata_rows,
    new_files,
    transaction,
)

MESSAGE = "require_commit_message"
ODD = 'o\'dd "näme" \\ %s {0} 💡\n'


@pytest.fixture
def known(main: Catalog) -> tuple[CountingStore, Catalog]:
    """A catalog with a table `t` of which everything is known, and the store that counts from here."""
    make_table(main)
    append(main, 2)
    with transaction(main) as tx:
        table = get_table(tx, "main", "t")
        delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 2)
        inline_rows(tx, table, 3)
    store, catalog = counted(main)
    append(catalog)
    assert (store.short, store.long) == (0, 1)
    store.reset()
    return store, catalog


def _append(tx: Transaction) -> None:
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))


def _delete_from_a_whole_file(tx: Transaction) -> None:
    table = get_table(tx, "main", "t")
    whole = next(scanned for scanned in tx.files(TableId(table.object_id)) if scanned.delete is None)
    delete_rows(tx, table, whole, 3)


def _delete_an_inlined_row(tx: Transaction) -> None:
    table = get_table(tx, "main", "t")
    tx.delete_inlined(table, [(tx.batches(TableId(table.object_id))[0].batch_id, 1)])


def _upsert(tx: Transaction) -> None:
    tx.note_delete(get_table(tx, "main", "t"))
    _append(tx)


@pytest.mark.parametrize(
    "change",
    [_append, lambda tx: inline_rows(tx, get_table(tx, "main", "t"), 2), _delete_from_a_whole_file,
     _delete_an_inlined_row, _upsert, lambda tx: create_schema(tx, "s")],
    ids=["append", "inline", "delete", "delete inlined", "upsert", "create"],
)  # fmt: skip
def test_what_only_adds_rows_goes_the_short_way(
    known: tuple[CountingStore, Catalog], change: Callable[[Transaction], object]
) -> None:
    store, catalog = known
    tx = begin(catalog)
    change(tx)
    store.reset()
    assert commit(tx) is not None
    assert (store.short, store.long, store.trips) == (1, 0, 1)
    append(catalog)


def test_appends_one_after_the_other_all_go_the_short_way(known: tuple[CountingStore, Catalog]) -> None:
    store, catalog = known
    for _ in range(5):
        append(catalog)
    assert (store.short, store.long) == (5, 0)
    table_id = TableId(get_table(begin(catalog), "main", "t").object_id)
    view = view_at_head(catalog)
    assert view.stats(table_id).record_count == 8 * 10 - 2 + 3
    starts = [scanned.data.row_id_start for scanned in view.files(table_id)]
    assert len(set(starts)) == 8


def test_values_that_look_like_the_placeholder_of_the_snapshot_stay_as_they_are(
    known: tuple[CountingStore, Catalog],
) -> None:
    store, catalog = known
    tx = begin(catalog)
    table = get_table(tx, "main", "t")
    [new] = new_files(tx, 1)
    stats = [ColumnStats(ColumnId(1), 10, 0, "-1", "-1")]
    tx.append_files(table, [replace(new, file=new.file._replace(path="-1"), column_stats=tuple(stats))])
    inline_rows(tx, table, 1, b"-1")
    snapshot_id = commit(tx)
    assert (store.short, store.long) == (1, 0)
    view = view_at_head(catalog)
    table_id = TableId(table.object_id)
    [file] = [scanned.data for scanned in view.files(table_id) if scanned.data.path == "-1"]
    assert file.begin_snapshot == snapshot_id
    assert [batch.payload for batch in view.batches(table_id) if batch.begin_snapshot == snapshot_id] == [b"-1"]
    kept = metadata_rows(catalog.lake, catalog)
    assert [row[-6:] for row in kept["lake_file_column_stats"] if "-1" in row]
    assert not any(-1 in row for table in SNAPSHOT_COLUMNS for row in kept[table])


def test_a_column_added_to_a_table_of_the_same_transaction_has_the_snapshot_that_added_it(
    known: tuple[CountingStore, Catalog],
) -> None:
    _, catalog = known
    tx = begin(catalog)
    create_table(tx, "main", "made", [ColumnSpec("a", BIGINT)])
    spec = ColumnSpec("b", BIGINT)
    alter_table(tx, "main", "made", lambda definition: add_column(definition, spec, tx.new_column_ids(1), ()))
    snapshot_id = commit(tx)
    columns = get_table(begin(catalog), "main", "made").definition.columns
    assert [column.added for column in columns] == [None, snapshot_id]


def test_appends_to_many_tables_in_turn_go_the_short_way_once_each_is_known(main: Catalog) -> None:
    names = ["a", "b", "c"]
    for name in names:
        make_table(main, name)
    store, catalog = counted(main)
    for turn in range(3):
        for name in names:
            store.reset()
            append(catalog, turn + 1, name=name)
            assert (store.short, store.long) == ((1, 0) if turn else (0, 1))
    view = view_at_head(main)
    for name in names:
        table_id = TableId(get_table(begin(main), "main", name).object_id)
        assert view.stats(table_id).record_count == (1 + 2 + 3) * 10
        starts = {scanned.data.row_id_start for scanned in view.files(table_id)}
        assert len(starts) == 6


def test_what_was_known_of_a_table_is_not_taken_for_what_it_is_when_others_commit_between(main: Catalog) -> None:
    for name in ("a", "b"):
        make_table(main, name)
    store, catalog = counted(main)
    for name in ("a", "b"):
        append(catalog, name=name)
    append(main, name="a")
    append(catalog, name="b")
    store.reset()
    append(catalog, name="a")
    assert (store.short, store.long) == (1, 0)
    table_id = TableId(get_table(begin(main), "main", "a").object_id)
    assert view_at_head(main).stats(table_id).record_count == 3 * 10


def _end_a_file(tx: Transaction) -> None:
    table = get_table(tx, "main", "t")
    tx.end_files(table, tx.files(TableId(table.object_id))[:1])


def _replace_a_delete_file(tx: Transaction) -> None:
    table = get_table(tx, "main", "t")
    partly = next(scanned for scanned in tx.files(TableId(table.object_id)) if scanned.delete is not None)
    delete_rows(tx, table, partly, 3)


@pytest.mark.parametrize(
    "change",
    [
        _end_a_file,
        _replace_a_delete_file,
        end_inlined,
        lambda tx: set_option(tx, "target_file_size", 1000),
        lambda tx: rename_table(tx, "main", "t", "u"),
        lambda tx: drop_table(tx, "main", "t"),
    ],
    ids=["end a file", "replace deletes", "end a batch", "option", "rename", "drop"],
)
def test_what_ends_something_goes_the_long_way(
    known: tuple[CountingStore, Catalog], change: Callable[[Transaction], object]
) -> None:
    store, catalog = known
    tx = begin(catalog)
    _append(tx)
    change(tx)
    assert commit(tx) is not None
    assert (store.short, store.long) == (0, 1)


def test_after_anothers_append_an_append_goes_the_short_way(
    main: Catalog, known: tuple[CountingStore, Catalog]
) -> None:
    store, catalog = known
    tx = begin(catalog)
    _append(tx)
    append(main)
    assert commit(tx) is not None
    assert (store.short, store.long) == (1, 0)
    table_id = TableId(get_table(begin(main), "main", "t").object_id)
    assert view_at_head(main).stats(table_id).record_count == 5 * 10 - 2 + 3


@pytest.mark.parametrize("required_by", ["catalog", "instance"])
def test_a_message_that_is_required_is_asked_for_on_both_ways(
    lake: Lake, main: Catalog, known: tuple[CountingStore, Catalog], required_by: str
) -> None:
    store, catalog = known
    if required_by == "instance":
        set_instance_option(lake, MESSAGE, True)
    else:
        with transaction(main) as tx:
            set_option(tx, MESSAGE, True)
    for _ in range(2):
        before = metadata_rows(lake)
        tx = begin(catalog)
        _append(tx)
        with pytest.raises(CommitMessageRequired):
            commit(tx)
        assert metadata_rows(lake)["lake_snapshot"] == before["lake_snapshot"]
        assert (store.short, store.long) == (0, 0)
        tx = begin(catalog)
        tx.set_commit_message("ann", "more rows")
        _append(tx)
        assert commit(tx) is not None
        store.reset()


def test_what_nobody_looked_up_is_not_taken_for_not_required(main: Catalog) -> None:
    with transaction(main) as tx:
        set_option(tx, MESSAGE, True)
    _, catalog = counted(main)
    tx = begin(catalog)
    tx.set_commit_message("ann", "a schema")
    create_schema(tx, "s")
    assert commit(tx) is not None
    tx = begin(catalog)
    create_schema(tx, "without a message")
    with pytest.raises(CommitMessageRequired):
        commit(tx)


def test_options_that_are_known_are_not_read_again(known: tuple[CountingStore, Catalog]) -> None:
    store, catalog = known
    fork, _ = fork_catalog(catalog.lake, catalog.name, "fork")
    for one in (catalog, fork):
        tx = begin(one)
        set_option(tx, "parquet_row_group_size", 1_000, table="t")
        set_option(tx, "parquet_compression", "zstd")
        commit(tx)
        append(one)
        append(one)
        store.reset()
        told = list_options(begin(one))
        # One for the head, and one for the options of the instance; who knows nothing asks for more.
        assert store.statements == 2
        assert [(option.key, option.value, option.scope) for option in told] == [
            ("parquet_compression", "zstd", "catalog"),
            ("parquet_row_group_size", "1000", "table"),
        ]
        store.reset()
        assert list_options(begin(replace(one, lake=new_handle(store, one.lake.data_path)))) == told
        assert store.statements > 2


@pytest.mark.parametrize("which", ["other", "same", "instance", "unset"])
def test_options_that_are_set_meanwhile_are_seen(
    main: Catalog, known: tuple[CountingStore, Catalog], which: str
) -> None:
    _, catalog = known
    append(catalog)
    assert effective_option(begin(catalog), "parquet_compression") == "snappy"
    if which == "instance":
        set_instance_option(main.lake, "parquet_compression", "gzip")
    else:
        with transaction(main if which == "other" else catalog) as tx:
            set_option(tx, "parquet_compression", "gzip")
    assert effective_option(begin(catalog), "parquet_compression") == "gzip"
    append(catalog)
    append(catalog)
    if which == "unset":
        with transaction(main) as tx:
            set_option(tx, "parquet_compression", None)
        assert effective_option(begin(catalog), "parquet_compression") == "snappy"
    else:
        assert effective_option(begin(catalog), "parquet_compression") == "gzip"


def test_options_that_are_known_are_not_told_of_a_snapshot_that_has_expired(
    main: Catalog, known: tuple[CountingStore, Catalog]
) -> None:
    _, catalog = known
    append(catalog)
    set_instance_option(main.lake, "parquet_compression", "gzip")
    reader = begin(catalog)
    assert [option.value for option in list_options(reader)] == ["gzip"]
    append(main)
    expire_all(main)
    with pytest.raises(NoSuchSnapshot, match="has expired"):
        list_options(reader)


@pytest.fixture
def two_lakes(place: Place, tmp_path: Path) -> Iterator[list[Lake]]:
    """Two new lakes, of which the second remembers nothing and so goes the long way."""
    url = place.url if place.backend == "postgres" else f"sqlite:{tmp_path / 'second.db'}"
    schema = f"{place.metadata_schema}_second" if place.metadata_schema else None
    lakes = [
        open_lake(place.url, metadata_schema=place.metadata_schema, create=True, data_path="data"),
        open_lake(url, metadata_schema=schema, create=True, data_path="data"),
    ]
    lakes[1] = replace(lakes[1], cache=replace(lakes[1].cache, facts=SnapshotFacts(size=0)))
    yield lakes
    for lake in lakes:
        lake.close()


def _create(tx: Transaction) -> None:
    point = parse_type("struct(x double, y double)")
    columns = [ColumnSpec("id", BIGINT), ColumnSpec("at", point), ColumnSpec("name", parse_type("varchar"))]
    for name in ("t", "u"):
        create_table(tx, "main", name, columns, partitioned_by=[("id", "identity")], comment=ODD)


def _first_rows(tx: Transaction) -> None:
    for name in ("t", "u"):
        tx.append_files(get_table(tx, "main", name), new_files(tx, 1))


def _odd_rows(tx: Transaction) -> None:
    table = get_table(tx, "main", "t")
    spec = table.definition.partition
    assert spec is not None
    stats = (
        ColumnStats(ColumnId(1), 10, 0, "-9223372036854775808", "9223372036854775807"),
        ColumnStats(ColumnId(3), 10, 1, "-inf", None, True, 80),
        ColumnStats(ColumnId(5), 10, 10, None, None, None, None, ODD),
    )
    [new] = new_files(tx, 1)
    file = new.file._replace(path=ODD, footer_size=7, partition_id=spec.partition_id, path_is_relative=False)
    tx.append_files(table, [NewDataFile(file, stats, (ODD,))])
    ids = tx.new_ids("file", 2)
    batches = [
        InlinedBatch(BatchId(i), table.begin_snapshot, 3, payload, deleted=deleted)
        for i, payload, deleted in zip(ids, (bytes(range(256)), b""), (frozenset({1}), frozenset()), strict=True)
    ]
    for batch in batches:
        tx.insert_inlined(table, batch, stats)


def _mapped_rows(tx: Transaction) -> None:
    table = get_table(tx, "main", "u")
    mapping_id = MappingId(tx.new_ids("entity")[0])
    tx.add_mapping(table, mapping_id, NameMapping((MappedColumn(0, ODD, ColumnId(1)),)))
    tx.append_files(
        table, [replace(new, file=new.file._replace(mapping_id=mapping_id)) for new in new_files(tx, 2, low=7)]
    )
    tx.set_commit_message(ODD, ODD, ODD)


def _deletes(tx: Transaction) -> None:
    for name in ("t", "u"):
        table = get_table(tx, "main", name)
        table_id = TableId(table.object_id)
        delete_rows(tx, table, min(tx.files(table_id)), 2)
        tx.note_delete(table)
    table = get_table(tx, "main", "t")
    tx.delete_inlined(table, [(batch.batch_id, 2) for batch in tx.batches(TableId(table.object_id))])


def _objects(tx: Transaction) -> None:
    create_schema(tx, "s")
    create_table(tx, "s", "t", [ColumnSpec("id", BIGINT)])
    tx.append_files(get_table(tx, "main", "t"), new_files(tx, 1))


def _added_column(tx: Transaction) -> None:
    create_table(tx, "s", "u", [ColumnSpec("id", BIGINT)])
    spec = ColumnSpec("later", BIGINT, default_value="7")
    alter_table(tx, "s", "u", lambda table: add_column(table, spec, tx.new_column_ids(1)))


STEPS: list[Callable[[Transaction], None]] = [
    _create,
    _first_rows,
    _first_rows,
    _odd_rows,
    _first_rows,
    _mapped_rows,
    _first_rows,
    _deletes,
    _first_rows,
    _objects,
    _first_rows,
    _added_column,
    _first_rows,
]
MASKED = {"catalog_uuid", "object_uuid", "commit_token", "snapshot_time", "head_time"}


def _comparable(lake: Lake) -> dict[str, list[tuple[object, ...]]]:
    """Every row, without what is different each time."""
    found = {}
    for name, table in TABLES.items():
        columns = ", ".join(column.name for column in table.columns if column.name not in MASKED)
        key = ", ".join(column.name for column in table.primary_key)
        found[name] = lake.store.fetch(f"SELECT {columns} FROM {name} ORDER BY {key}", {})
    return found


@pytest.mark.parametrize("inherited", [False, True], ids=["own", "inherited"])
def test_both_ways_leave_the_same_rows(two_lakes: list[Lake], inherited: bool) -> None:
    left, counts = [], []
    for lake in two_lakes:
        catalog = create_catalog(lake, "main")
        store = CountingStore(lake.store)
        object.__setattr__(lake, "store", store)
        for number, step in enumerate(STEPS):
            if inherited and number == 2:
                catalog, _ = fork_catalog(lake, "main", "f")
            with transaction(catalog) as tx:
                step(tx)
        left.append(_comparable(lake))
        counts.append((store.short, store.long))
    short, long = counts[0]
    assert counts[1] == (0, len(STEPS))
    # A step goes the short way when those before told all that it needs; what is inherited is asked for first.
    assert (short + long, short) == (len(STEPS), 9 if inherited else 10)
    for name in TABLES.keys() - {"lake_info"}:
        assert left[0][name] == left[1][name], name
