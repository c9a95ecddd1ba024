"""Files and folders that may not be written, or not be read."""

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import forklake
from forklake.errors import DamagedFile, ReadOnly, UnwritableFile
from trust.surroundings.house import House
from trust.surroundings.mounts import may_mount, read_only
from trust.surroundings.setting import BACKENDS, Setting
from trust.surroundings.tally import Tally
from trust.trial import Line


def denied(setting: Setting) -> Iterator[Line]:
    yield _read_only_data(setting)
    yield _unreadable_files(setting)
    yield _read_only_metadata(setting)


@contextmanager
def as_ordinary_user(folder: Path) -> Iterator[None]:
    """Permissions mean nothing to root: be somebody else for a while, who owns what is in the folder."""
    if os.geteuid() != 0:
        yield
        return
    nobody = pwd.getpwnam("nobody").pw_uid
    for path in (folder, *folder.rglob("*")):
        os.chown(path, nobody, -1)
    os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(0)


def _read_only_data(setting: Setting) -> Line:
    outcome = "UnwritableFile names the file and the reason; reading goes on"
    tally = setting.tally("the folder of the data is read-only", 2 * setting.times, outcome)
    for backend in BACKENDS:
        with setting.house(backend) as house:
            for number in range(setting.times):
                by_mount = may_mount() and number % 2 == 0
                # By a mount it is so for everybody, also for a Spark that runs as root.
                with read_only(house.data) if by_mount else _unwritable(house.data):
                    words = (str(house.data), "Read-only file system" if by_mount else "Permission denied")
                    act = partial(house.table.append, house.new_rows())
                    tally.refused(f"append on {backend}", UnwritableFile, words, act)
                    if by_mount and setting.session is not None:
                        frame = setting.session.spark.range(1000).selectExpr("id", "uuid() AS v")
                        act = partial(house.table.append, frame)
                        tally.refused(f"append by Spark on {backend}", UnwritableFile, (str(house.data),), act)
                    tally.works("reading", house.found)
                tally.take(f"data on {backend}", house.wrongs())
    return tally.line()


@contextmanager
def _unwritable(folder: Path) -> Iterator[None]:
    with as_ordinary_user(folder.parent):
        modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*")) if path.is_dir()}
        for path in modes:
            path.chmod(0o500)
        try:
            yield
        finally:
            for path, mode in modes.items():
                path.chmod(mode)


def _unreadable_files(setting: Setting) -> Line:
    outcome = "DamagedFile names file and table; it is whole again when it may be read"
    tally = setting.tally("a file may not be read", 2 * setting.times, outcome)
    for backend in BACKENDS:
        with setting.house(backend) as house:
            for _ in range(setting.times):
                house.append()
                _unreadable(tally, house, backend)
                tally.take(f"data on {backend}", house.wrongs())
    return tally.line()


def _unreadable(tally: Tally, house: House, backend: str) -> None:
    """Compaction reads files on this machine and as this user; a Spark of root's would read them all the same."""
    path = house.rng.choice(sorted(house.data.rglob("*.parquet")))
    with as_ordinary_user(house.data.parent):
        path.chmod(0)
        try:
            tally.refused(f"compaction on {backend}", DamagedFile, (path.name,), house.lake.merge_adjacent_files)
        finally:
            path.chmod(0o644)


def _read_only_metadata(setting: Setting) -> Line:
    outcome = "ReadOnly names the file; reading goes on"
    tally = setting.tally("the file of SQLite is read-only", setting.times, outcome)
    for _ in range(setting.times):
        with setting.house("sqlite") as house:
            path = Path(house.url.removeprefix("sqlite:"))
            house.session.close()
            with as_ordinary_user(path.parent):
                path.chmod(0o400)
                _refused_read_only(tally, house, path)
                path.chmod(0o600)
            with _again(house) as again:
                tally.take("metadata in SQLite", again.wrongs())
    return tally.line()


def _refused_read_only(tally: Tally, house: House, path: Path) -> None:
    with _again(house) as again:
        create = partial(again.lake.create_table, "other", {"id": "bigint"})
        tally.refused("create table", ReadOnly, (str(path), "cannot be written"), create)
        tally.works("reading", again.found)


@contextmanager
def _again(house: House) -> Iterator[House]:
    """The same lake, attached anew."""
    with forklake.connect() as session:
        lake = session.attach(house.url, "lake", catalog="main")
        yield House(session, lake, house.data, house.url, house.rng, house.rows)
