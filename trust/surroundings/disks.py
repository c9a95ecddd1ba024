"""Disks that are full, for data and for metadata."""

import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psycopg

from forklake.errors import StoreError, UnwritableFile
from forklake.store.sqlite import SqliteStore
from trust.surroundings.house import House
from trust.surroundings.mounts import may_mount, small_disk
from trust.surroundings.setting import BACKENDS, Setting
from trust.trial import Line

MEGABYTE = 2**20
_FULL = "No space left on device"


def full_disks(setting: Setting) -> Iterator[Line]:
    yield _data(setting) if may_mount() else full_data_by_limit(setting)
    yield _sqlite(setting) if may_mount() else full_sqlite_by_limit(setting)
    if may_mount() and os.geteuid() == 0:
        yield _postgres(setting)
    else:
        yield Line("the disk of PostgreSQL is full: not tried, this machine lets us mount nothing for it", 0, 0)


def _data(setting: Setting) -> Line:
    tally = setting.tally(
        "the disk for data is full", 4 * setting.times, "UnwritableFile names the file; nothing is half there"
    )
    for backend in BACKENDS:
        with small_disk(setting.folder(), 8 * MEGABYTE) as disk, setting.house(backend, data=disk.folder) as house:
            for _ in range(setting.times):
                house.append()
                with disk.full():
                    for case, act in _writes(house, setting):
                        tally.refused(f"{case} on {backend}", UnwritableFile, (str(disk.folder), _FULL), act)
                # A Spark whose write has failed gives the space back when it pleases.
                disk.resize(64 * MEGABYTE)
                tally.take(f"data on {backend}", house.wrongs())
                disk.resize(8 * MEGABYTE)
    return tally.line()


def _writes(house: House, setting: Setting) -> Iterator[tuple[str, Callable[[], object]]]:
    many = house.new_rows(20_000)
    yield "append", lambda: house.table.append(many)
    yield "overwrite", lambda: house.table.overwrite(many)
    yield "create table as", lambda: house.lake.create_table_as("other", many)
    if setting.session is not None:
        spark = setting.session.spark
        some = min(house.rows)[0]
        yield "append by Spark", lambda: house.table.append(spark.range(400_000).selectExpr("id", "uuid() AS v"))
        yield "update", lambda: house.table.update({"v": "repeat(uuid(), 1000)"})
        yield "delete", lambda: house.table.delete(f"id = {some}")


def full_data_by_limit(setting: Setting) -> Line:
    what = "the disk for data is full (by a limit for the size of files: this machine lets us mount nothing)"
    tally = setting.tally(what, 2 * setting.times, "UnwritableFile names the file; nothing is half there")
    for backend in BACKENDS:
        with setting.house(backend) as house:
            for _ in range(setting.times):
                many = house.new_rows(20_000)
                words = (str(house.data), "File too large")
                with _files_up_to(64 * 1024):
                    tally.refused(f"append on {backend}", UnwritableFile, words, partial(house.table.append, many))
                tally.take(f"data on {backend}", house.wrongs())
    return tally.line()


@contextmanager
def _files_up_to(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def _sqlite(setting: Setting) -> Line:
    tally = setting.tally(
        "the disk of SQLite is full", setting.times, "StoreError names the file and the reason; commits are whole"
    )
    for _ in range(setting.times):
        with (
            small_disk(setting.folder(), 4 * MEGABYTE) as disk,
            setting.house("sqlite", metadata=disk.folder) as house,
        ):
            with disk.full(free=setting.rng("sqlite", tally.tried).randrange(16) * 4096):
                words = (str(disk.folder / "lake.db"), "full")
                tally.refused("commits to SQLite", StoreError, words, partial(_commit_on, house))
            tally.take("metadata in SQLite", house.wrongs())
    return tally.line()


def _commit_on(house: House) -> None:
    for _ in range(2_000):
        house.append()


def full_sqlite_by_limit(setting: Setting) -> Line:
    what = "the disk of SQLite is full (by its own limit of pages: this machine lets us mount nothing)"
    tally = setting.tally(what, setting.times, "StoreError names the file and the reason; commits are whole")
    for _ in range(setting.times):
        with setting.house("sqlite") as house:
            store = house.lake._attachment.lake.store
            assert isinstance(store, SqliteStore)
            with _pages(store):
                path = house.url.removeprefix("sqlite:")
                tally.refused("commits to SQLite", StoreError, (path, "full"), partial(_commit_on, house))
            tally.take("metadata in SQLite", house.wrongs())
    return tally.line()


@contextmanager
def _pages(store: SqliteStore) -> Iterator[None]:
    """No connection of the store may make the file larger."""

    def limit(most: str) -> None:
        with store._connection() as connection:
            connection.execute(f"PRAGMA max_page_count = {most}")

    limit("1")
    try:
        yield
    finally:
        limit("1073741823")


def _postgres(setting: Setting) -> Line:
    tally = setting.tally(
        "the disk of PostgreSQL is full", setting.times, "StoreError in the server's words; commits are whole"
    )
    with small_disk(setting.folder(), 64 * MEGABYTE) as disk:
        url = _database_on(setting, disk.folder)
        for number in range(setting.times):
            with setting.house_at(f"postgres:{url}", f"full_{number}", retries=1) as house:
                with disk.full(free=setting.rng("postgres", number).randrange(16) * 8192):
                    tally.refused("commits to PostgreSQL", StoreError, (_FULL,), partial(_commit_on, house))
                tally.take("metadata in PostgreSQL", house.wrongs())
        with psycopg.connect(setting.server.url(), autocommit=True) as connection:
            connection.execute("DROP DATABASE on_small_disk WITH (FORCE)")
            connection.execute("DROP TABLESPACE small_disk")
    return tally.line()


def _database_on(setting: Setting, folder: Path) -> str:
    """A database with its tables on a disk of their own; the server's log is elsewhere."""
    place = folder / "tables"
    place.mkdir()
    with psycopg.connect(setting.server.url(), autocommit=True) as connection:
        [[data]] = connection.execute("SHOW data_directory").fetchall()
        owner = Path(data).stat()
        os.chown(place, owner.st_uid, owner.st_gid)
        connection.execute(f"CREATE TABLESPACE small_disk LOCATION '{place}'".encode())
        connection.execute("CREATE DATABASE on_small_disk TABLESPACE small_disk")
    return setting.server.url("on_small_disk")
