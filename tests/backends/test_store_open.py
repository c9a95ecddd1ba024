"""A lake is created once, opened by many, refused when its format is strange, and migrated as a whole."""

import multiprocessing
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.synchronize import Barrier

import psycopg
import pytest

from forklake.catalog.lakes.catalogs import create_catalog, drop_catalog, find_catalog, list_catalogs, rename_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_schema, create_table, drop_schema
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.options import set_instance_option, set_option
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.errors import InvalidInput, NotALake, ReadOnly, StoreError, UnsupportedFormat
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import parse_type
from forklake.store import ddl, sqlite
from forklake.store.connection import Statement
from forklake.store.format_version import FORMAT_VERSION
from forklake.store.migrations import STEPS, UNCHANGED, Steps, migrate
from forklake.store.open import open_store
from forklake.store.options import lake_info
from tests.conftest import Place
from tests.lakes import append, file_ids, make_table, metadata_rows, new_files

BAD_SQL = "THIS IS NO SQL"
SECOND_FORMAT = (
    "data_file_ended",
    "delete_file_ended",
    "catalog_dropped",
    "data_file_path",
    "delete_file_path",
    "scheduled_file_path",
)
"""The indexes that came with it."""


def reopen(place: Place, *, read_only: bool = False, migrate_if_required: bool = True) -> Lake:
    return open_lake(
        place.url,
        metadata_schema=place.metadata_schema,
        read_only=read_only,
        migrate_if_required=migrate_if_required,
    )


def set_format_version(lake: Lake, version: str) -> None:
    update = Statement("UPDATE lake_info SET value = :version WHERE key = 'format_version'", {"version": version})
    with lake.store.writing([]) as (connection, _):
        connection.commit([update])


def both(*statements: str) -> dict[str, list[str]]:
    return {"sqlite": list(statements), "postgresql": list(statements)}


def has_table(lake: Lake, name: str) -> bool:
    try:
        lake.store.fetch(f"SELECT * FROM {name}", {})
    except StoreError:
        return False
    return True


def schema_of(lake: Lake) -> set[tuple[object, ...]]:
    """The columns and the indexes there are."""
    if lake.store.dialect.is_postgres:
        columns = "SELECT table_name, column_name, data_type FROM information_schema.columns"
        indexes = "SELECT tablename, indexname, indexdef FROM pg_indexes"
        asked = [f"{columns} WHERE table_schema = current_schema", f"{indexes} WHERE schemaname = current_schema"]
    else:
        asked = [
            "SELECT m.name, c.name, c.type FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'",
            "SELECT m.tbl_name, m.name, replace(m.sql, 'IF NOT EXISTS ', '') FROM sqlite_master m"
            " WHERE m.type = 'index' AND m.sql IS NOT NULL",
        ]
    return {row for sql in asked for row in lake.store.fetch(sql, {})}


def create_a_catalog(url: str, schema: str | None, name: str) -> str:
    """What a process of its own does: open or create the lake, and write to it."""
    lake = open_lake(url, metadata_schema=schema, create=True, data_path="data")
    create_catalog(lake, name)
    uuid = lake_info(lake.store)["lake_uuid"]
    lake.close()
    return uuid


def test_a_lake_is_created_on_first_use_and_found_afterwards(place: Place) -> None:
    first = open_lake(place.url, metadata_schema=place.metadata_schema, create=True, data_path="data")
    create_catalog(first, "main")
    first.close()
    again = open_lake(place.url, metadata_schema=place.metadata_schema, create=True)
    assert [info.name for info in list_catalogs(again)] == ["main"]
    assert again.data_path == "data/"
    again.close()


def test_an_empty_place_is_not_a_lake_unless_one_may_be_created(place: Place) -> None:
    for read_only in (False, True):
        with pytest.raises(NotALake, match="CREATE_IF_NOT_EXISTS"):
            reopen(place, read_only=read_only)


def test_a_reader_never_creates_a_lake(place: Place) -> None:
    with pytest.raises(NotALake):
        open_lake(place.url, metadata_schema=place.metadata_schema, create=True, read_only=True)
    with pytest.raises(NotALake):
        reopen(place)


@pytest.mark.parametrize("version", [str(FORMAT_VERSION + 1), "999999999999"])
def test_a_newer_format_is_refused(lake: Lake, place: Place, version: str) -> None:
    set_format_version(lake, version)
    with pytest.raises(UnsupportedFormat, match=f"format version {version}.*newer release"):
        reopen(place)


@pytest.mark.parametrize("version", ["", "one", "1.0", "-1", "\uff11"])
def test_a_format_that_is_no_number_is_refused(lake: Lake, place: Place, version: str) -> None:
    set_format_version(lake, version)
    with pytest.raises(UnsupportedFormat, match="unknown format version"):
        reopen(place)


def test_an_older_format_without_a_way_up_is_refused(lake: Lake, place: Place) -> None:
    set_format_version(lake, "0")
    with pytest.raises(UnsupportedFormat, match="format version 0, which cannot be migrated"):
        reopen(place)
    assert lake_info(lake.store)["format_version"] == "0"


def test_an_older_format_is_not_migrated_against_the_callers_will(lake: Lake, place: Place) -> None:
    set_format_version(lake, "0")
    with pytest.raises(UnsupportedFormat, match="MIGRATE_IF_REQUIRED"):
        reopen(place, migrate_if_required=False)
    with pytest.raises(UnsupportedFormat, match="MIGRATE_IF_REQUIRED"):
        reopen(place, read_only=True)


@pytest.mark.parametrize("way", [{"read_only": True}, {"migrate_if_required": False}], ids=["read", "as it is"])
def test_a_lake_is_used_unmigrated_where_the_newest_format_is_the_same(
    lake: Lake, main: Catalog, place: Place, way: dict[str, bool]
) -> None:
    make_table(main)
    append(main)
    set_format_version(lake, "3")
    if lake.store.dialect.is_postgres:
        with pytest.raises(UnsupportedFormat, match="MIGRATE_IF_REQUIRED"):
            reopen(place, **way)
        return
    reopened = reopen(place, **way)
    found = find_catalog(reopened, "main")
    assert file_ids(found) == file_ids(main) != set()
    if not reopened.store.read_only:
        append(found)
        assert len(file_ids(main)) == 2
    reopened.close()
    assert lake_info(lake.store)["format_version"] == "3"
    set_format_version(lake, "2")
    with pytest.raises(UnsupportedFormat, match="MIGRATE_IF_REQUIRED"):
        reopen(place, **way)


def test_a_lake_of_the_first_format_is_brought_to_the_newest(lake: Lake, main: Catalog, place: Place) -> None:
    newest = schema_of(lake)
    with lake.store.writing([]) as (connection, _):
        drops = [Statement(f"DROP INDEX lake_{index}", {}) for index in SECOND_FORMAT]
        drops.append(Statement("ALTER TABLE lake_scheduled_file DROP COLUMN file_size_bytes", {}))
        if lake.store.dialect.is_postgres:
            drops.append(Statement("DROP FUNCTION lake_fork_point", {}))
        connection.commit(drops)
    set_format_version(lake, "1")
    assert schema_of(lake) != newest
    reopened = reopen(place)
    assert schema_of(reopened) == newest
    assert lake_info(reopened.store)["format_version"] == str(FORMAT_VERSION)
    assert fork_catalog(reopened, "main", "fork", version=1)[1]
    reopened.close()


@pytest.mark.parametrize(
    ("version", "arguments"),
    [
        ("3", "bigint, bigint, text, text, boolean, text, text, text, text, uuid"),
        ("4", "bigint, bigint, jsonb, boolean, text, text, text, text, uuid"),
    ],
)
def test_a_lake_of_an_older_format_gets_the_commit_of_the_newest(
    lake: Lake, main: Catalog, place: Place, version: str, arguments: str
) -> None:
    make_table(main)
    if lake.store.dialect.is_postgres:
        old = f"CREATE FUNCTION lake_append({arguments}) RETURNS bigint LANGUAGE sql AS 'SELECT 1 / 0'"
        with lake.store.writing([]) as (connection, _):
            connection.commit([Statement("DROP FUNCTION lake_append", {}), Statement(old, {})])
    set_format_version(lake, version)
    reopened = reopen(place)
    assert lake_info(reopened.store)["format_version"] == str(FORMAT_VERSION)
    catalog = find_catalog(reopened, "main")
    append(catalog)
    append(catalog)
    assert len(file_ids(catalog)) == 2
    reopened.close()


def views_of(lake: Lake) -> set[tuple[object, ...]]:
    """The views there are, and what they show."""
    if lake.store.dialect.is_postgres:
        asked = "SELECT viewname, definition FROM pg_views WHERE schemaname = current_schema"
    else:
        asked = "SELECT name, sql FROM sqlite_master WHERE type = 'view'"
    return set(lake.store.fetch(asked, {}))


def make_second_format(lake: Lake) -> None:
    """As the release of before had left it, with a view that shows something else."""
    with lake.store.writing([]) as (connection, _):
        connection.run_script("DROP VIEW ducklake_tag;\nCREATE VIEW ducklake_tag AS SELECT 1 AS old;\n")
        connection.commit([])
    set_format_version(lake, "2")


def replaces_view(lake: Lake) -> str:
    return "DROP VIEW IF EXISTS ducklake_tag;\n" if lake.store.dialect.is_postgres else ""


def test_a_migration_that_fails_at_the_views_leaves_the_old_format_with_its_views(
    lake: Lake, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = views_of(lake)
    make_second_format(lake)
    before = views_of(lake)
    whole = ddl.create_script
    with monkeypatch.context() as planted:
        planted.setattr(ddl, "create_script", lambda *of: f"{replaces_view(lake)}{whole(*of)}\n{BAD_SQL};\n")
        with pytest.raises(StoreError):
            reopen(place)
    assert lake_info(lake.store)["format_version"] == "2"
    assert views_of(lake) == before
    with monkeypatch.context() as planted:
        planted.setattr(ddl, "create_script", lambda *of: f"{replaces_view(lake)}{whole(*of)}")
        reopen(place).close()
    assert lake_info(lake.store)["format_version"] == str(FORMAT_VERSION)
    assert views_of(lake) == newest


def test_whoever_opens_a_lake_while_it_is_migrated_finds_all_views(lake: Lake, place: Place) -> None:
    newest = views_of(lake)
    set_format_version(lake, "2")

    def views_when_opened(_: int) -> set[tuple[object, ...]]:
        opened = reopen(place)
        try:
            return views_of(opened)
        finally:
            opened.close()

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(views_when_opened, range(6))) == [newest] * 6
    assert lake_info(lake.store)["format_version"] == str(FORMAT_VERSION)


def test_what_differs_in_its_number_alone_has_no_steps() -> None:
    for database, versions in UNCHANGED.items():
        assert [STEPS[version][database] for version in versions] == [[] for _ in versions]


def test_a_migration_carries_out_every_step_in_order(lake: Lake) -> None:
    set_format_version(lake, "1")
    steps: Steps = {
        1: both("CREATE TABLE lake_new (a BIGINT)", "INSERT INTO lake_new VALUES (20)"),
        2: both("UPDATE lake_new SET a = a % 15"),
    }
    migrate(lake.store, 1, steps=steps, target=3)
    assert lake.store.fetch("SELECT a FROM lake_new", {}) == [(5,)]
    assert lake_info(lake.store)["format_version"] == "3"


def test_a_failing_step_leaves_version_and_tables_as_they_were(lake: Lake, main: Catalog) -> None:
    set_format_version(lake, "1")
    before = metadata_rows(lake)
    steps: Steps = {1: both("CREATE TABLE lake_new (a BIGINT)", "DELETE FROM lake_catalog"), 2: both(BAD_SQL)}
    with pytest.raises(StoreError):
        migrate(lake.store, 1, steps=steps, target=3)
    assert metadata_rows(lake) == before
    assert not has_table(lake, "lake_new")


def test_a_gap_in_the_steps_is_found_before_anything_is_done(lake: Lake) -> None:
    steps: Steps = {1: both("CREATE TABLE lake_new (a BIGINT)"), 3: both("SELECT 1")}
    with pytest.raises(UnsupportedFormat, match="cannot be migrated"):
        migrate(lake.store, 1, steps=steps, target=4)
    assert not has_table(lake, "lake_new")


def test_several_who_migrate_at_once_do_it_once(lake: Lake, place: Place) -> None:
    steps: Steps = {FORMAT_VERSION: both("CREATE TABLE lake_new (a BIGINT)", "INSERT INTO lake_new VALUES (1)")}
    stores = [open_store(place.url, metadata_schema=place.metadata_schema) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        done = [pool.submit(migrate, store, FORMAT_VERSION, steps=steps, target=FORMAT_VERSION + 1) for store in stores]
        assert [each.result() for each in done] == [None] * 6
    for store in stores:
        store.close()
    assert lake.store.fetch("SELECT a FROM lake_new", {}) == [(1,)]


def test_two_schemas_of_a_database_hold_two_lakes_that_do_not_see_each_other(postgres_place: Place) -> None:
    lakes = [
        open_lake(postgres_place.url, metadata_schema=f"{postgres_place.metadata_schema}{end}", create=True)
        for end in ("a", ' "B"; --')
    ]
    for number, each in enumerate(lakes):
        make_table(create_catalog(each, "main"))
        append(find_catalog(each, "main"), number + 1)
        fork_catalog(each, "main", f"only_in_{number}")
    assert [[info.name for info in list_catalogs(each)] for each in lakes] == [
        ["main", "only_in_0"],
        ["main", "only_in_1"],
    ]
    assert [len(file_ids(find_catalog(each, "main"))) for each in lakes] == [1, 2]
    for each in lakes:
        each.close()


def test_without_a_schema_a_lake_lives_in_the_schema_ducklake(shared_database: str) -> None:
    open_lake(f"postgres:{shared_database}", create=True).close()
    with psycopg.connect(shared_database) as connection:
        assert connection.execute("SELECT count(*) FROM ducklake.lake_info").fetchone() == (3,)
        connection.execute("DROP SCHEMA ducklake CASCADE")


def test_a_sqlite_file_has_no_schemas(sqlite_place: Place) -> None:
    with pytest.raises(InvalidInput, match="no schema 'other'"):
        open_lake(sqlite_place.url, metadata_schema="other", create=True)
    open_lake(sqlite_place.url, metadata_schema="main", create=True).close()


@pytest.mark.parametrize("url", ["{path}", "ducklake:{path}", "ducklake:sqlite:{path}", "sqlite:{path}"])
def test_a_sqlite_file_may_be_named_in_several_ways(sqlite_place: Place, url: str) -> None:
    path = sqlite_place.url.removeprefix("sqlite:")
    open_lake(sqlite_place.url, create=True).close()
    open_lake(url.format(path=path)).close()


def test_the_data_path_is_kept_and_another_is_refused_unless_overridden(lake: Lake, place: Place) -> None:
    with pytest.raises(InvalidInput, match="'other/' does not match existing data path in the catalog, 'data/'"):
        open_lake(place.url, metadata_schema=place.metadata_schema, data_path="other")
    for path, override, expected in (("data", False, "data/"), ("data/", False, "data/"), ("o", True, "o/")):
        opened = open_lake(
            place.url, metadata_schema=place.metadata_schema, data_path=path, override_data_path=override
        )
        assert opened.data_path == expected
        opened.close()
    assert lake_info(lake.store)["data_path"] == "data/"


WRITES: dict[str, Callable[[Lake, Transaction], object]] = {
    "create catalog": lambda lake, tx: create_catalog(lake, "new"),
    "rename catalog": lambda lake, tx: rename_catalog(lake, "main", "new"),
    "drop catalog": lambda lake, tx: drop_catalog(lake, "main"),
    "fork": lambda lake, tx: fork_catalog(lake, "main", "new"),
    "instance option": lambda lake, tx: set_instance_option(lake, "target_file_size", "1MB"),
    "option": lambda lake, tx: set_option(tx, "target_file_size", "1MB"),
    "create schema": lambda lake, tx: create_schema(tx, "new"),
    "drop schema": lambda lake, tx: drop_schema(tx, "main", cascade=True),
    "create table": lambda lake, tx: create_table(tx, "main", "new", [ColumnSpec("a", parse_type("int"))]),
    "new ids": lambda lake, tx: new_files(tx, 1),
    "append": lambda lake, tx: tx.append_files(get_table(tx, "main", "t"), []),
    "migrate": lambda lake, tx: migrate(lake.store, 1, steps={1: both("CREATE TABLE x (a INT)")}, target=2),
}


def test_every_write_is_refused_by_a_lake_that_is_open_for_reading_only(main: Catalog, place: Place) -> None:
    make_table(main)
    append(main)
    before = metadata_rows(main.lake)
    reader = reopen(place, read_only=True)
    catalog = find_catalog(reader, "main")
    assert file_ids(catalog) == file_ids(main)
    for write in WRITES.values():
        with pytest.raises(ReadOnly):
            write(reader, begin(catalog))
    assert commit(begin(catalog)) is None
    reader.close()
    assert metadata_rows(main.lake) == before


def test_a_catalog_attached_for_reading_only_takes_no_changes(lake: Lake, main: Catalog) -> None:
    make_table(main)
    before = metadata_rows(lake)
    reader = find_catalog(lake, "main", read_only=True)
    for name in ("option", "create schema", "drop schema", "create table", "new ids", "append"):
        with pytest.raises(ReadOnly, match="'main': it is attached in read-only mode"):
            WRITES[name](lake, begin(reader))
    assert metadata_rows(lake) == before


@pytest.mark.parametrize("held", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "BEGIN; SELECT * FROM sqlite_master"])
def test_creating_a_lake_waits_for_others_who_use_the_file(sqlite_place: Place, held: str) -> None:
    path = sqlite_place.url.removeprefix("sqlite:")
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for statement in held.split(";"):
        other.execute(statement).fetchall()
    release = threading.Timer(0.3, other.rollback)
    release.start()
    lake = open_lake(sqlite_place.url, create=True, data_path="data")
    release.join()
    assert lake.store.fetch("PRAGMA journal_mode", {}) == [("wal",)]
    other.close()
    lake.close()


def wait_for_the_others(barrier: Barrier) -> None:
    """Python and its imports take a second to start; the race is to begin after that."""
    barrier.wait()


def test_a_commit_to_a_file_is_on_disk_when_it_is_acknowledged(
    synchronous: str, sqlite_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_SYNCHRONOUS", synchronous)
    lake = open_lake(sqlite_place.url, create=True)
    assert lake.store.fetch("PRAGMA synchronous", {}) == [(2,)]
    lake.close()


def test_processes_that_create_a_lake_at_the_same_time_share_it(place: Place) -> None:
    names = ["a", "b", "c"]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        len(names), mp_context=spawn, initializer=wait_for_the_others, initargs=(spawn.Barrier(len(names)),)
    ) as pool:
        done = [pool.submit(create_a_catalog, place.url, place.metadata_schema, name) for name in names]
        uuids = {each.result() for each in done}
    assert len(uuids) == 1
    lake = reopen(place)
    infos = list(list_catalogs(lake))
    assert [info.name for info in infos] == names
    assert sorted(info.begin_snapshot for info in infos) == [1, 2, 3]
    lake.close()
