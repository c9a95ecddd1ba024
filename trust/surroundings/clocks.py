"""Clocks that jump by years, forth and back, while work goes on."""

import random
import sqlite3
import time
from collections.abc import Iterator
from datetime import timedelta
from itertools import count, pairwise
from threading import Event, Thread
from unittest.mock import patch

from forklake.errors import ForklakeError
from forklake.store import sqlite as sqlite_store
from trust.surroundings.clock import Clock, settable_clock
from trust.surroundings.house import House
from trust.surroundings.setting import BACKENDS, Setting
from trust.surroundings.tally import Tally
from trust.trial import Line

YEARS = 20
JUMPS = 30
_WEEK = timedelta(days=7)
_YEAR_SECONDS = 365 * 86400
_JUMP_AT, _RELEASE_AT = 3, 30
"""How often a commit has looked whether it may go on, when the clock jumps and when it may."""
_LONGEST_HOLD = 4.0


def jumping_clocks(setting: Setting) -> Iterator[Line]:
    outcome = "times of snapshots only rise, AS OF finds each; no age is taken for more than it is"
    tally = setting.tally("the clock jumps by years", len(BACKENDS) * JUMPS * setting.times, outcome)
    for backend in BACKENDS:
        with setting.house(backend) as house, settable_clock(house.lake) as clock:
            work_under_jumps(tally, house, clock, setting.rng("clock", backend), JUMPS * setting.times)
            clock.set(timedelta(), timedelta())
            tally.take(f"a lake on {backend}", house.wrongs())
    yield tally.line()
    waits = setting.tally("the clock jumps during a wait", setting.times, "waits last as long as without the jump")
    for _ in range(setting.times):
        with setting.house("sqlite", retries=0) as house:
            waiting_through_a_jump(waits, house)
    yield waits.line()


def work_under_jumps(tally: Tally, house: House, clock: Clock, rng: random.Random, jumps: int) -> None:
    """Commits, time travel, expiry and cleanup, each time with other clocks."""
    counts: dict[int, int] = {house.lake.snapshots()[-1].snapshot_id: len(house.rows)}
    for _ in range(jumps):
        tally.tried += 1
        clock.set(_random_jump(rng), _random_jump(rng))
        house.append(house.new_rows(2))
        counts[house.lake.snapshots()[-1].snapshot_id] = len(house.rows)
    _check_times(tally, house, counts)
    _check_ages(tally, house, clock, rng)


def _random_jump(rng: random.Random) -> timedelta:
    return timedelta(days=rng.uniform(-365 * YEARS, 365 * YEARS))


def _check_times(tally: Tally, house: House, counts: dict[int, int]) -> None:
    """Every snapshot is what was there at its time, and until that of the next."""
    snapshots = house.lake.snapshots()
    times = [snapshot.snapshot_time for snapshot in snapshots]
    if any(later <= earlier for earlier, later in pairwise(times)):
        tally.wrong(f"the times of snapshots do not rise: {times}")
    for snapshot in snapshots:
        if snapshot.snapshot_id not in counts:
            continue
        found = house.table.count(timestamp=snapshot.snapshot_time)
        if found != counts[snapshot.snapshot_id]:
            tally.wrong(f"AS OF {snapshot.snapshot_time} finds {found} rows of {counts[snapshot.snapshot_id]}")
    try:
        house.table.count(timestamp=times[0] - timedelta(microseconds=1))
        tally.wrong("something was found before there was anything")
    except ForklakeError:
        pass


def _check_ages(tally: Tally, house: House, clock: Clock, rng: random.Random) -> None:
    """Nothing here is a week old, whatever one of the clocks says."""
    orphan = house.data / "main" / "main" / "t" / "orphan.parquet"
    before = len(house.lake.snapshots())
    ahead, behind = timedelta(days=365 * rng.uniform(1, YEARS)), timedelta(days=-365 * rng.uniform(1, YEARS))
    # Of one clock for both nobody could tell that it is ahead.
    wrong = [(behind, behind)] if clock.is_one else [(ahead, timedelta()), (behind, ahead), (timedelta(), behind)]
    house.lake.set_option("expire_older_than", "7 days")
    house.lake.set_option("delete_older_than", "7 days")
    before = len(house.lake.snapshots())
    for machine, database in wrong:
        tally.tried += 1
        clock.set(machine, database)
        orphan.write_bytes(b"written a moment ago")
        gone = [*house.lake.expire_snapshots(older_than=_WEEK), *house.lake.expire_snapshots()]
        if gone or len(house.lake.snapshots()) != before:
            tally.wrong(f"{len(gone)} young snapshots expired with clocks wrong by {machine} and {database}")
        house.lake.delete_orphaned_files(older_than=_WEEK)
        house.lake.delete_orphaned_files()
        if not orphan.exists():
            tally.wrong(f"a young file was deleted with clocks wrong by {machine} and {database}")
    orphan.unlink(missing_ok=True)


def waiting_through_a_jump(tally: Tally, house: House) -> None:
    """Somebody else has SQLite for a while, and meanwhile it becomes another year."""
    tally.tried += 1
    held, jumped, released = Event(), Event(), Event()
    real, turns = time.time, count(1)

    def pause(seconds: float) -> None:
        turn = next(turns)
        if turn == _JUMP_AT:
            jumped.set()
        if turn == _RELEASE_AT:
            released.set()
        time.sleep(seconds)

    holder = Thread(target=_hold, args=(house.url.removeprefix("sqlite:"), held, released))
    holder.start()
    held.wait()
    with (
        patch.object(time, "time", lambda: real() + _YEAR_SECONDS * jumped.is_set()),
        patch.object(sqlite_store, "sleep", pause),
    ):
        tally.works("a commit while the clock jumps", house.append)
    released.set()
    holder.join()
    if not jumped.is_set():
        tally.wrong("nobody waited")
    tally.take("after the wait", house.wrongs())


def _hold(path: str, held: Event, released: Event) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    held.set()
    released.wait(_LONGEST_HOLD)
    connection.rollback()
    connection.close()
