"""Whatever cannot work is refused with one error of ours that says why, shows no secret, and changes nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from functools import partial

import pytest

from forklake.catalog.lakes.catalogs import catalog_info, create_catalog, drop_catalog, find_catalog, rename_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.reading.view import view_at
from forklake.catalog.transaction.commit import commit, rollback
from forklake.catalog.transaction.ddl import create_macro, create_schema, create_table, create_view, set_object_tag
from forklake.catalog.transaction.names import get_table, list_schemas
from forklake.catalog.transaction.options import set_option
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import (
    AlreadyExists,
    InvalidInput,
    InvalidName,
    NoSuchCatalog,
    NoSuchSnapshot,
    TransactionClosed,
)
from forklake.model.alterations import ColumnSpec
from forklake.model.entities import MacroDefinition, MacroImplementation, MacroParameter, SortKey, ViewDefinition
from forklake.model.ids import ColumnId, SchemaId, TableId
from forklake.model.statistics import ColumnStats
from forklake.store.connection import Statement
from tests.backends.table_changes import BIGINT
from tests.lakes import append, file_ids, make_table, metadata_rows, new_files

NOWHERE = 2**62
COLUMN = ColumnSpec("id", BIGINT)
BAD_NAMES = ["", " a", "a ", "a/b", "a\\b", ".", "..", "../other", "a\0b", "a\nb", "\ud800", "x" * 10_000, "é" * 128]


@contextmanager
def nothing_written(lake: Lake) -> Iterator[None]:
    before = metadata_rows(lake)
    yield
    assert metadata_rows(lake) == before


@pytest.mark.parametrize("name", BAD_NAMES, ids=lambda name: ascii(name[:12]))
def test_an_unusable_catalog_name_is_refused_everywhere(lake: Lake, main: Catalog, name: str) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: create_catalog(lake, name),
        lambda: create_catalog(lake, name, if_not_exists=True),
        lambda: find_catalog(lake, name),
        lambda: rename_catalog(lake, "main", name),
        lambda: rename_catalog(lake, name, "other"),
        lambda: drop_catalog(lake, name),
        lambda: fork_catalog(lake, "main", name),
        lambda: fork_catalog(lake, name, "other"),
    ]
    with nothing_written(lake):
        for attempt in attempts:
            with pytest.raises(InvalidName) as refused:
                attempt()
            assert len(str(refused.value)) < 200


def test_an_unknown_catalog_is_refused_everywhere(lake: Lake, main: Catalog) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: find_catalog(lake, "gone"),
        lambda: rename_catalog(lake, "gone", "other"),
        lambda: drop_catalog(lake, "gone"),
        lambda: fork_catalog(lake, "gone", "other"),
        lambda: fork_catalog(lake, "gone", "other", if_not_exists=True),
    ]
    with nothing_written(lake):
        for attempt in attempts:
            with pytest.raises(NoSuchCatalog, match="'gone' does not exist"):
                attempt()


def test_a_taken_name_is_refused_for_forks_too(lake: Lake, main: Catalog) -> None:
    create_catalog(lake, "other")
    with nothing_written(lake), pytest.raises(AlreadyExists, match="'other' already exists"):
        fork_catalog(lake, "main", "other")
    with nothing_written(lake), pytest.raises(AlreadyExists, match="'main' already exists"):
        fork_catalog(lake, "main", "main")


def test_a_dropped_catalog_cannot_be_forked(lake: Lake, main: Catalog) -> None:
    drop_catalog(lake, "main")
    with nothing_written(lake), pytest.raises(NoSuchCatalog):
        fork_catalog(lake, "main", "f")


@pytest.mark.parametrize("version", [-1, -NOWHERE, NOWHERE, 2**63, -(2**63) - 1, 10**30])
def test_a_version_that_never_was_is_refused(lake: Lake, main: Catalog, version: int) -> None:
    with nothing_written(lake):
        with pytest.raises(NoSuchSnapshot, match=f"No snapshot found at version {version} in catalog 'main'"):
            view_at(main, version=version)
        with pytest.raises(NoSuchSnapshot, match=f"No snapshot found at version {version} in catalog 'main'"):
            fork_catalog(lake, "main", "f", version=version)


def test_a_version_of_another_catalog_means_the_newest_snapshot_before_it(lake: Lake, main: Catalog) -> None:
    create_catalog(lake, "other")
    [birth] = list_snapshots(main)
    assert view_at(main, version=birth.snapshot_id + 1).snapshot_id == birth.snapshot_id
    with pytest.raises(NoSuchSnapshot):
        view_at(find_catalog(lake, "other"), version=birth.snapshot_id)


def test_a_time_before_the_first_snapshot_is_refused(lake: Lake, main: Catalog) -> None:
    long_ago = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
    with nothing_written(lake):
        with pytest.raises(NoSuchSnapshot, match="No snapshot found at timestamp 1970"):
            view_at(main, timestamp=long_ago)
        with pytest.raises(NoSuchSnapshot, match="No snapshot found at timestamp 1970"):
            fork_catalog(lake, "main", "f", timestamp=long_ago)


def test_a_time_without_a_zone_is_refused(lake: Lake, main: Catalog) -> None:
    somewhen = datetime.fromisoformat("2024-01-01T00:00:00")
    with pytest.raises(InvalidInput, match="no time zone"):
        view_at(main, timestamp=somewhen)
    with pytest.raises(InvalidInput, match="no time zone"):
        fork_catalog(lake, "main", "f", timestamp=somewhen)


def test_a_time_that_is_none_in_utc_is_refused(main: Catalog) -> None:
    behind, ahead = timezone(timedelta(hours=-5)), timezone(timedelta(hours=5))
    for moment in (datetime.max.replace(tzinfo=behind), datetime.min.replace(tzinfo=ahead)):
        with pytest.raises(InvalidInput, match="out of range in UTC"):
            view_at(main, timestamp=moment)


@pytest.mark.parametrize("year", [1, 99, 999])
def test_a_time_long_before_the_first_snapshot_is_before_it(main: Catalog, year: int) -> None:
    with pytest.raises(NoSuchSnapshot):
        view_at(main, timestamp=datetime(year, 1, 1, tzinfo=UTC))


def test_neither_or_both_of_version_and_time_are_refused(main: Catalog) -> None:
    [birth] = list_snapshots(main)
    with pytest.raises(InvalidInput, match="either a version or a timestamp"):
        view_at(main)
    with pytest.raises(InvalidInput, match="either a version or a timestamp"):
        view_at(main, version=1, timestamp=birth.snapshot_time)


def test_a_snapshot_that_has_gone_is_refused_and_not_replaced_by_an_older_one(lake: Lake, main: Catalog) -> None:
    make_table(main)
    first, gone, last = append(main), append(main), append(main)
    child, _ = fork_catalog(lake, "main", "child")
    times = {snapshot.snapshot_id: snapshot.snapshot_time for snapshot in list_snapshots(main)}
    with lake.store.writing([]) as (connection, _):
        delete = "DELETE FROM lake_snapshot WHERE catalog_id = :catalog_id AND snapshot_id = :gone"
        connection.commit([Statement(delete, {"catalog_id": main.catalog_id, "gone": gone})])
    for catalog in (main, child):
        attempts: list[Callable[[], object]] = [
            partial(view_at, catalog, version=gone),
            partial(view_at, catalog, timestamp=times[gone]),
            partial(fork_catalog, lake, catalog.name, "f", version=gone),
            partial(fork_catalog, lake, catalog.name, "f", timestamp=times[gone]),
        ]
        for attempt in attempts:
            with nothing_written(lake), pytest.raises(NoSuchSnapshot):
                attempt()
        for kept in (first, last):
            assert view_at(catalog, version=kept).snapshot_id == kept
            assert view_at(catalog, timestamp=times[kept]).snapshot_id == kept
            by_version, _ = fork_catalog(lake, catalog.name, f"{catalog.name} at {kept}", version=kept)
            by_time, _ = fork_catalog(lake, catalog.name, f"{catalog.name} then {kept}", timestamp=times[kept])
            assert catalog_info(by_version).fork_snapshot == catalog_info(by_time).fork_snapshot == kept


@pytest.mark.parametrize("ended_by", [commit, rollback])
def test_a_transaction_that_has_ended_takes_and_gives_nothing(
    main: Catalog, ended_by: Callable[[Transaction], object]
) -> None:
    make_table(main)
    tx = begin(main)
    table = get_table(tx, "main", "t")
    files = new_files(tx, 1)
    ended_by(tx)
    attempts: list[Callable[[], object]] = [
        lambda: commit(tx),
        lambda: rollback(tx),
        lambda: create_schema(tx, "s"),
        lambda: list_schemas(tx),
        lambda: tx.append_files(table, files),
        lambda: tx.end_files(table, []),
        lambda: tx.files(TableId(table.object_id)),
        lambda: tx.batches(TableId(table.object_id)),
        lambda: tx.objects_in(SchemaId(0)),
        lambda: tx.new_ids("file"),
        lambda: tx.set_commit_message("me", "why"),
        lambda: set_option(tx, "target_file_size", "1MB"),
    ]
    for attempt in attempts:
        with nothing_written(main.lake), pytest.raises(TransactionClosed, match="begin another"):
            attempt()
    assert file_ids(main) == set()


UNSTORABLE: dict[str, Callable[[Transaction, str], object]] = {
    "comment": lambda tx, text: set_object_tag(tx, get_table(tx, "main", "t"), text),
    "tag": lambda tx, text: set_object_tag(tx, get_table(tx, "main", "t"), "x", key=text),
    "comment of a new table": lambda tx, text: create_table(tx, "main", "u", [COLUMN], comment=text),
    "default": lambda tx, text: create_table(tx, "main", "u", [replace(COLUMN, default_value=text)]),
    "sort key": lambda tx, text: create_table(tx, "main", "u", [COLUMN], sorted_by=[SortKey("id", dialect=text)]),
    "view": lambda tx, text: create_view(tx, "main", "v", ViewDefinition(text)),
    "alias": lambda tx, text: create_view(tx, "main", "v", ViewDefinition("SELECT 1", column_aliases=(text,))),
    "macro": lambda tx, text: create_macro(tx, "main", "m", MacroDefinition((MacroImplementation(text),))),
    "parameter": lambda tx, text: create_macro(
        tx, "main", "m", MacroDefinition((MacroImplementation("1", parameters=(MacroParameter("a", text),)),))
    ),
    "option": lambda tx, text: set_option(tx, "parquet_compression", text),
    "path": lambda tx, text: tx.append_files(
        get_table(tx, "main", "t"), [replace(new, file=new.file._replace(path=text)) for new in new_files(tx, 1)]
    ),
    "bound": lambda tx, text: tx.append_files(
        get_table(tx, "main", "t"),
        [replace(new, column_stats=(ColumnStats(ColumnId(1), max_value=text),)) for new in new_files(tx, 1)],
    ),
    "looking up a table": lambda tx, text: get_table(tx, "main", text),
    "looking up a schema": lambda tx, text: get_table(tx, text, "t"),
}


@pytest.mark.parametrize("text", ["a\0b", "\ud800"], ids=ascii)
@pytest.mark.parametrize("where", UNSTORABLE)
def test_a_text_that_cannot_be_stored_is_refused_when_it_is_staged(main: Catalog, where: str, text: str) -> None:
    make_table(main)
    tx = begin(main)
    with pytest.raises(InvalidInput, match="NUL or an unpaired surrogate") as refused:
        UNSTORABLE[where](tx, text)
    assert str(refused.value).isprintable()
    assert commit(tx) is None


@pytest.mark.parametrize("text", ["a\0b", "\ud800"], ids=ascii)
def test_a_commit_message_that_cannot_be_stored_is_refused(main: Catalog, text: str) -> None:
    tx = begin(main)
    create_schema(tx, "s")
    with nothing_written(main.lake), pytest.raises(InvalidInput):
        tx.set_commit_message(text, text)
