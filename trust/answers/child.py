"""Rounds in a process with a Spark of its own: `python -m trust.answers.child <piece> <folder> <seed> <rounds>`."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from forklake.spark.session.provider import SparkProvider
from tests.postgres_server import TestPostgres
from trust.answers.check_snapshots import STATEMENTS
from trust.answers.rounds import KINDS, Counts, run_round
from trust.answers.subject import SETTINGS
from trust.answers.tally import Tally
from trust.fuzz.seeds import ROOT

PIECES: Mapping[str, Counts] = {
    "conditions": Counts(conditions=3000, settings=2),
    "answers": Counts(
        conditions=400,
        queries=100,
        small_queries=700,
        small_changes=200,
        small_feeds=60,
        small_inserts=30,
        small_merges=500,
        small_syntax=300,
        changes=12,
        constants=72,
        duckdb_conditions=1200,
        duckdb_expressions=240,
        duckdb_queries=30,
        duckdb_constants=60,
        duckdb_changes=20,
    ),
}
"""What a round of each piece makes. A round takes new tables."""
_SNAPSHOTS = Counts(snapshots=len(STATEMENTS), duckdb_snapshots=len(STATEMENTS), duckdb_functions=1)


def run_rounds(piece: str, folder: Path, seed: str, rounds: int) -> dict[str, Tally]:
    """So many rounds, one after the other; commits in between are tried once."""
    spark = SparkProvider(settings=SETTINGS).get()
    totals = {kind: Tally() for kind in KINDS}
    with TestPostgres() as server:
        for number in range(rounds):
            place = folder / f"round_{number}"
            # Every third round has its metadata in PostgreSQL.
            target = f"postgres:{server.create_database()}" if number % 3 == 1 else ""
            _add(totals, run_round(place, f"{seed}/{piece}/{number}", PIECES[piece], spark, target))
            (folder / "progress").write_text(f"round {number + 1} of {rounds}")
            if not any(tally.found for tally in totals.values()):
                shutil.rmtree(place)
    if piece == "answers":
        _add(totals, run_round(folder / "snapshots", f"{seed}/snapshots", _SNAPSHOTS, spark))
    return totals


def _add(totals: dict[str, Tally], tallies: Mapping[str, Tally]) -> None:
    for kind, tally in tallies.items():
        totals[kind].add(tally)


def run_child(
    piece: str, folder: Path, seed: str, rounds: int, seconds: float, say: Callable[[str], None] = print
) -> dict[str, Tally]:
    """Run a piece to its end, and say how far it has come; if it dies or does not end, that is found."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "trust.answers.child", piece, str(folder), seed, str(rounds)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True)
    try:
        code = _wait(process, folder / "progress", seconds, lambda text: say(f"{piece}: {text}"))
    finally:
        # With the JVM that it has started.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, 9)
        process.wait()
    if code == 0:
        told: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        return {kind: Tally.heard(each) for kind, each in told.items()}
    last = (folder / "log").read_text(encoding="utf-8", errors="replace")[-1500:]
    ended = f"did not end within {seconds:.0f} s" if code is None else f"ended with {code}"
    at = (folder / "progress").read_text() if (folder / "progress").exists() else "the first round"
    return {KINDS[0]: Tally(found=[f"{piece}, seed {seed}: the process {ended}, after {at}: {last}"])}


def _wait(process: "subprocess.Popen[bytes]", progress: Path, seconds: float, say: Callable[[str], None]) -> int | None:
    """The code that the process ends with; None if it does not end in time."""
    deadline, told = monotonic() + seconds, ""
    while monotonic() < deadline:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(2)
        now = progress.read_text() if progress.exists() else ""
        if now != told:
            say(now)
        told = now
    return None


if __name__ == "__main__":
    made = run_rounds(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    text = json.dumps({kind: tally.told() for kind, tally in made.items()})
    (Path(sys.argv[2]) / "result.json").write_text(text, encoding="utf-8")
