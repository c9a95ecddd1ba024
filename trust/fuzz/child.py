"""One piece in a process of its own: `python -m trust.fuzz.child <piece> <folder> <seed> <count> <url>`.

The process can be stopped, has only so much memory, and may not delete anything outside of its folder.
"""

import json
import os
import random
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from trust.fuzz.damaged_lake import World, build
from trust.fuzz.guard import MEMORY_BYTES, guard_storage
from trust.fuzz.links import try_links
from trust.fuzz.metadata_rows import RowsTally, fuzz_rows, try_damaged
from trust.fuzz.names import fuzz_names
from trust.fuzz.parquet_files import fuzz_files
from trust.fuzz.seeds import ROOT
from trust.fuzz.spark_queries import fuzz_queries

RESULT = "result.json"
Told = dict[str, Any]


def run_child(piece: str, folder: Path, seed: str, count: int, url: str, seconds: float) -> Told:
    """Run a piece to its end, and give what it has told; if it dies or does not end, that is found."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "trust.fuzz.child", piece, str(folder), seed, str(count), url]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "AWS_EC2_METADATA_DISABLED": "true"}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        code = None
    finally:
        # With what it has started: a JVM would outlive it.
        _end(process)
    if code == 0:
        return dict(json.loads((folder / RESULT).read_text(encoding="utf-8")))
    last = (folder / "log").read_text(encoding="utf-8", errors="replace")[-500:]
    ended = f"did not end within {seconds} s" if code is None else f"ended with {code}"
    at = (folder / "progress").read_text() if (folder / "progress").exists() else "?"
    return {"tried": 0, "found": [f"{piece}, seed {seed}: the process {ended}, at {at}: {last}"]}


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, 9)
    process.wait()


def _rows(folder: Path, seed: str, count: int, url: str) -> Told:
    tally = RowsTally()
    if not url:
        fuzz_rows(seed, folder, count, tally)
    for number in range(count if url else 0):
        world = build(folder / f"damaged_{number}", url, f"rows_{seed}_{number}".replace("-", "_"))
        rng = random.Random(f"{seed}/rows/postgres/{number}")
        try_damaged(rng, world, tally, f"postgres, seed {seed}, damage {number}")
    told = {"tried": tally.damages, "operations": tally.operations, "errors": tally.errors, "noticed": tally.noticed}
    return {**told, "found": tally.found}


def _names(folder: Path, seed: str, count: int, url: str) -> Told:
    world = World(folder, url or f"sqlite:{folder / 'lake.db'}", "names" if url else None)
    tally = fuzz_names(world, random.Random(f"{seed}/names"), count)
    return {"tried": tally.tried, "accepted": tally.accepted, "found": tally.found}


def _links(folder: Path, seed: str, count: int, url: str) -> Told:
    tried, found = try_links(folder / "links")
    return {"tried": tried, "found": found}


def _files(folder: Path, seed: str, count: int, url: str) -> Told:
    tally = fuzz_files(folder, seed, count)
    return {"tried": tally.tried, "added": tally.added, "found": tally.found}


def _queries(folder: Path, seed: str, count: int, url: str) -> Told:
    tally = fuzz_queries(folder, seed, count)
    return {"tried": tally.tried, "answers": tally.answers, "found": tally.found}


_PIECES: Mapping[str, Callable[[Path, str, int, str], Told]] = {
    "rows": _rows,
    "names": _names,
    "links": _links,
    "files": _files,
    "queries": _queries,
}


def main(piece: str, folder: Path, seed: str, count: int, url: str) -> None:
    if piece != "queries":
        # A JVM reserves more than it uses.
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    guard_storage(folder)
    told = _PIECES[piece](folder, seed, count, url)
    (folder / RESULT).write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5])
