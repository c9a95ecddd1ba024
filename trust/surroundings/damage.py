"""Files that somebody deletes, shortens or changes behind our back."""

import io
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from forklake.catalog.planning.scan_planning import plan_scan
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import begin
from forklake.errors import DamagedFile
from trust.surroundings.house import FEW, House
from trust.surroundings.setting import BACKENDS, Setting
from trust.surroundings.tally import Tally
from trust.trial import Line

_TRIES = 100
_SHORT: dict[str, Any] = {
    "compression": "zstd", "store_schema": False, "write_statistics": False, "use_dictionary": False,
}  # fmt: skip
"""Options by which a file with few rows is not longer than another, however short that is."""
_TAIL = 8
"""Bytes behind a footer: its length, and the mark of Parquet."""


def _shorten(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(1, len(content))]


def _in_pages(content: bytes, rng: random.Random) -> bytes:
    """A bit of the rows is another one."""
    footer = int.from_bytes(content[-_TAIL:-4], "little")
    return _flip_bit(content, rng.randrange(4, len(content) - _TAIL - footer), rng)


def _in_tail(content: bytes, rng: random.Random) -> bytes:
    return _flip_bit(content, len(content) - rng.randrange(1, _TAIL + 1), rng)


def _flip_bit(content: bytes, at: int, rng: random.Random) -> bytes:
    return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]


def _footer_gone(content: bytes, rng: random.Random) -> bytes:
    """What is there after a crash of the machine: the length is right, and the end was never written."""
    footer = int.from_bytes(content[-_TAIL:-4], "little")
    return content[: -footer - _TAIL] + bytes(footer + _TAIL)


def _another(content: bytes, rng: random.Random) -> bytes:
    """A sound file of the same columns and the same size with fewer rows, as one is that took the wrong name."""
    rows = pq.read_table(io.BytesIO(content))
    rows = rows.slice(rows.num_rows // 2 + 1)
    # The length of a text takes one byte or two, so that some sizes need more than one text.
    for others in range(10):
        padding = 0
        for _ in range(_TRIES):
            sink = io.BytesIO()
            with pq.ParquetWriter(sink, rows.schema, **_SHORT) as writer:
                writer.write_table(rows)
                writer.add_key_value_metadata({"padding": "x" * padding, **{f"{at}": "" for at in range(others)}})
            if (short := len(content) - len(sink.getvalue())) == 0:
                return sink.getvalue()
            padding = max(0, padding + short)
    raise AssertionError(f"no file of {len(content)} bytes could be made")


REPLACED = "replaced by another of its size"
"""What no reader can tell: it is a sound file. Its rows are not as many as the metadata say."""
IN_ROWS = "changed in its rows"
"""What no footer tells. Reading does, unless the bit is of something that nobody reads."""
IN_TAIL = "changed in its last bytes"
"""A footer that is said to be longer by a few bytes is sometimes read as what it is."""
DAMAGES: Mapping[str, Callable[[bytes, random.Random], bytes | None]] = {
    "deleted": lambda content, rng: None,
    "emptied": lambda content, rng: b"",
    "shortened": _shorten,
    "longer": lambda content, rng: content + rng.randbytes(rng.randrange(1, 100)),
    "of other bytes": lambda content, rng: rng.randbytes(len(content)),
    IN_TAIL: _in_tail,
    "without its footer": _footer_gone,
    IN_ROWS: _in_pages,
    REPLACED: _another,
}


def damaged_files(setting: Setting) -> Iterator[Line]:
    """Reading needs a Spark."""
    if setting.session is None:
        return
    told = "DamagedFile names file, table and snapshot; others are read and written; "
    outcomes = dict.fromkeys(DAMAGES, told + "verify(deep) names it")
    outcomes[REPLACED] = "no reader can tell; verify(deep) names it by the number of its rows"
    outcomes[IN_ROWS] = told + "footers tell nothing of it, so verify does not"
    for kind in ("data", "delete"):
        tallies = {
            damage: setting.tally(f"a {kind} file is {damage}", len(BACKENDS) * setting.times, outcomes[damage])
            for damage in DAMAGES
        }
        for backend in BACKENDS:
            with setting.house(backend) as house:
                house.append(house.new_rows(200))
                house.lake.create_table("other", {"id": "bigint"})
                house.lake.table("other").append([(1,)] * FEW)
                house.delete_some()
                for _ in range(setting.times):
                    for damage, tally in tallies.items():
                        try_damage(tally, house, kind, damage)
                tallies["deleted"].take(f"{kind} on {backend}", house.wrongs())
        yield from (tally.line() for tally in tallies.values())


def try_damage(tally: Tally, house: House, kind: str, damage: str) -> None:
    """One file of the table is damaged for a while."""
    path = house.rng.choice(files_of(house, kind))
    before = house.lake.snapshots()[-1].snapshot_id
    words = [path.name, "'t'", str(before)]
    with damaged(path, damage, house.rng):
        case = f"reading with a {kind} file {damage}"
        if damage == REPLACED:
            tally.tried += 1
        elif damage in (IN_ROWS, IN_TAIL):
            tally.refused_or_right(case, DamagedFile, words, lambda: _read(house))
        else:
            tally.refused(case, DamagedFile, words, lambda: _read(house))
        named = [found for found in house.lake.verify(deep=True) if path.name in (found.path or "")]
        if not named and damage != IN_ROWS:
            tally.wrong(f"verify does not name a {kind} file {damage}: {path}")
        tally.works("reading another table", lambda: house.lake.table("other").scan().fetchall())
        tally.works("writing", house.append)
    if set(house.table.scan().fetchall()) != house.rows:
        tally.wrong(f"the rows are not those of before when the {kind} file {damage} is whole again: {path}")


def _read(house: House) -> None:
    """All rows, as a new session reads them; those that are not right are an error of no kind."""
    # One that has read a delete file goes on with what it knows.
    holder = house.session._state.provider
    holder.cache.clear()
    if set(house.table.scan().fetchall()) != house.rows:
        raise AssertionError("wrong rows were read, and nobody said anything")


def files_of(house: House, kind: str) -> list[Path]:
    """The data files, or the delete files, that the table has now."""
    tx = begin(house.lake._attachment.catalog)
    files = plan_scan(tx, get_table(tx, "main", "t")).files
    if kind == "data":
        return sorted(house.data / file.data.path for file in files)
    return sorted(house.data / file.delete.path for file in files if file.delete is not None)


@contextmanager
def damaged(path: Path, damage: str, rng: random.Random) -> Iterator[None]:
    """The file is damaged in this way; in the end it is as it was."""
    content = path.read_bytes()
    changed = DAMAGES[damage](content, rng)
    if changed is None:
        path.unlink()
    else:
        path.write_bytes(changed)
    try:
        yield
    finally:
        path.write_bytes(content)
