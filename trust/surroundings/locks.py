"""SQLite in use by others: locked for a while or for long, deleted, replaced, or left by a process that was killed."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import forklake
from forklake.errors import CommitFailed, StoreBusy, StoreUnavailable
from forklake.store.sqlite import SqliteStore
from trust.surroundings.house import House
from trust.surroundings.setting import Setting
from trust.surroundings.tally import Tally
from trust.trial import Line

TIMEOUT_MS = 400
_HOLD = """
import sqlite3, sys, time
lake = sqlite3.connect(sys.argv[1], isolation_level=None)
lake.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
time.sleep(float(sys.argv[2])) if len(sys.argv) > 2 else sys.stdin.read()
"""


def locked_and_lost(setting: Setting) -> Iterator[Line]:
    yield _lock_setting(setting)
    yield _remove_setting(setting)
    yield _left_behind(setting)


def _path(house: House) -> Path:
    return Path(house.url.removeprefix("sqlite:"))


def _lock_setting(setting: Setting) -> Line:
    outcome = "shorter than the timeout: waits; longer: CommitFailed names the file"
    tally = setting.tally("SQLite is locked by another process", 4 * setting.times, outcome)
    with setting.house("sqlite", retries=0) as house:
        store = house.lake._attachment.lake.store
        assert isinstance(store, SqliteStore)
        for _ in range(2 * setting.times):
            try_lock(tally, house, store)
        tally.take("after the locks", house.wrongs())
    return tally.line()


def try_lock(tally: Tally, house: House, store: SqliteStore) -> None:
    """One lock that ends in time, and one that does not."""
    path, rows = _path(house), house.new_rows()
    store._busy_timeout_ms = 30_000
    with _another_process(path, f"{house.rng.uniform(0, 0.3):.3f}"):
        tally.tried += 1
        tally.works("a commit during a short lock", house.append)
    store._busy_timeout_ms = TIMEOUT_MS
    with _another_process(path):
        # Either says how often it was tried; ids of files are drawn before the commit, a few at a time.
        words = (str(path), "locked", "retr")
        tally.refused("a commit during a long lock", (CommitFailed, StoreBusy), words, lambda: house.table.append(rows))
        tally.works("reading during a lock", house.found)
    store._busy_timeout_ms = 30_000


@contextmanager
def _another_process(path: Path, *seconds: str) -> Iterator[None]:
    """It holds the lock for some seconds, or until the end."""
    command = [sys.executable, "-c", _HOLD, str(path), *seconds]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        try:
            yield
        finally:
            holder.kill()


def _remove_setting(setting: Setting) -> Line:
    outcome = "StoreUnavailable names the file; nothing is committed to a file that is gone"
    tally = setting.tally("the file of SQLite is deleted or replaced while it is open", 4 * setting.times, outcome)
    for _ in range(setting.times):
        for how in ("moved away", "replaced"):
            with setting.house("sqlite") as house:
                try_gone(tally, house, how)
    return tally.line()


def try_gone(tally: Tally, house: House, how: str) -> None:
    """Reading and writing are refused while another file, or none, has the name."""
    path = _path(house)
    away = path.with_name("away.db")
    rows = house.new_rows()
    os.rename(path, away)
    if how == "replaced":
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE letters (a)")
        other.close()
    words = (str(path), "deleted, moved or replaced")
    tally.refused(f"a commit to a file {how}", StoreUnavailable, words, lambda: house.table.append(rows))
    tally.refused(f"reading from a file {how}", StoreUnavailable, words, house.found)
    if how == "moved away" and path.exists():
        tally.wrong("an empty database was put in place of the lake")
    path.unlink(missing_ok=True)
    os.rename(away, path)
    tally.take(f"a file {how} and back", house.wrongs())


def _left_behind(setting: Setting) -> Line:
    outcome = "what was acknowledged is there"
    tally = setting.tally("SQLite is left with its log by a process that was killed", setting.times, outcome)
    for _ in range(setting.times):
        with setting.house("sqlite") as house:
            folder = setting.folder()
            tally.tried += 1
            # As if the process were killed now: what is on disk, and no more; nothing was closed.
            house.append()
            for file in _path(house).parent.glob("lake.db*"):
                shutil.copy(file, folder)
            if not (folder / "lake.db-wal").exists() or not (folder / "lake.db-wal").stat().st_size:
                tally.wrong("there was no log to be left behind")
            with forklake.connect() as session:
                lake = session.attach(f"sqlite:{folder / 'lake.db'}", "lake", catalog="main")
                again = House(session, lake, house.data, f"sqlite:{folder / 'lake.db'}", house.rng, set(house.rows))
                tally.take("the log of another", again.wrongs())
    return tally.line()
