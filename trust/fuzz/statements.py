"""Tens of thousands of statements, on SQLite and on PostgreSQL at once."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.postgres_server import TestPostgres
from trust.fuzz.seeds import ROOT
from trust.fuzz.statement_worker import PROGRESS, RESULT
from trust.trial import Line, Trial

STATEMENTS = 52_000
AT_LEAST = 50_000
STILL_SECONDS = 90.0
"""A process that stays at one statement for so long hangs: even on a machine with much else to do."""
_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Worker:
    """A process at work."""

    backend: str
    folder: Path
    process: subprocess.Popen[bytes]

    def number(self) -> int:
        try:
            return int((self.folder / PROGRESS).read_text() or -1)
        except FileNotFoundError:
            return -1


def fuzz_statements(trial: Trial, statements: int = STATEMENTS) -> Line:
    """Run them in a process for each database; a line for all."""
    each = statements * trial.times // 2
    with TestPostgres() as server:
        host = str(server._home())
        places = (("sqlite", "", ""), ("postgres", f"postgres:{server.create_database()}", host))
        with _running([_start(trial, each, *place) for place in places]) as workers:
            found = _watch(workers, trial.seed, trial.say)
    results = [_result(worker) for worker in workers]
    kinds = {kind: sum(result["kinds"].get(kind, 0) for result in results) for kind in ("answer", "error", "spark")}
    _keep([text for result in results for text in result["crashers"]], trial.folder / "crashers")
    return Line(
        "statements, by grammar, mutated and raw",
        sum(result["tried"] for result in results),
        AT_LEAST * trial.times,
        f"{kinds['answer']} answers, {kinds['error']} errors of ours, {kinds['spark']} for Spark",
        (*found, *(text for result in results for text in result["found"])),
    )


def _start(trial: Trial, statements: int, backend: str, database: str, server: str) -> Worker:
    folder = trial.sub_folder(f"statements_{backend}")
    orders = {"seed": str(trial.seed), "statements": statements, "backend": backend} | {
        "database": database,
        "server": server,
    }
    command = [sys.executable, "-m", "trust.fuzz.statement_worker", str(folder), json.dumps(orders)]
    with (folder / "log").open("wb") as log:
        # It works in a folder of its own: what it imports is found by its full path.
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "AWS_EC2_METADATA_DISABLED": "true"}
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    return Worker(backend, folder, process)


@contextmanager
def _running(workers: Sequence[Worker]) -> Iterator[Sequence[Worker]]:
    try:
        yield workers
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.wait()


def _watch(workers: Sequence[Worker], seed: int, say: Callable[[str], None]) -> list[str]:
    """Wait for all of them; what is said of those that hang or die."""
    found, left = [], {worker.backend: (worker, -2, time.monotonic()) for worker in workers}
    while left:
        time.sleep(_POLL_SECONDS)
        for worker, number, since in list(left.values()):
            now = worker.number()
            if worker.process.poll() is not None:
                del left[worker.backend]
                say(f"{worker.backend}: {now + 1} statements")
                if worker.process.returncode != 0:
                    found.append(_describe_death(worker, seed, now))
            elif now != number:
                left[worker.backend] = (worker, now, time.monotonic())
            elif time.monotonic() - since > STILL_SECONDS:
                worker.process.kill()
                del left[worker.backend]
                found.append(f"{worker.backend}, seed {seed}: statement {now} hangs")
    return found


def _describe_death(worker: Worker, seed: int, number: int) -> str:
    last = (worker.folder / "log").read_text(encoding="utf-8", errors="replace")[-600:]
    return f"{worker.backend}, seed {seed}: the process ended with {worker.process.returncode} at {number}: {last}"


def _result(worker: Worker) -> dict[str, Any]:
    path = worker.folder / RESULT
    if path.exists():
        return dict(json.loads(path.read_text(encoding="utf-8")))
    return {"tried": max(worker.number(), 0), "kinds": {}, "found": [], "crashers": []}


def _keep(crashers: Sequence[str], folder: Path) -> None:
    """Statements that broke something, to be run again."""
    for number, text in enumerate(crashers):
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.sql").write_bytes(text.encode("utf-8", "surrogatepass"))
