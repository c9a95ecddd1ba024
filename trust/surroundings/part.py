"""Faults of what is around: each gives one clear error, loses nothing, and is over when its cause is."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from trust.drivers.processes import end_session
from trust.surroundings.mounts import own_mounts
from trust.trial import Line, Trial

_END_SECONDS = 30


def run(trial: Trial) -> Iterator[Line]:
    """Everything takes place in a child process that has mounts of its own, and perhaps a Spark."""
    trial.folder.chmod(0o755)
    errors = trial.folder / "child.err"
    arguments = [str(trial.sub_folder("faults")), str(trial.seed), str(trial.times)]
    with errors.open("wb") as file:
        child = subprocess.Popen(
            [*own_mounts(), sys.executable, "-m", "trust.surroundings.child", *arguments],
            cwd=Path(__file__).parents[2],
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
        )
    try:
        yield from _lines(trial, child)
        if child.wait() != 0:
            raise RuntimeError(f"the faults ended early: {errors.read_text(errors='replace')[-3000:]}")
    finally:
        _end(child)


def _lines(trial: Trial, child: subprocess.Popen[str]) -> Iterator[Line]:
    assert child.stdout is not None
    for text in child.stdout:
        if not text.startswith("{"):
            trial.say(text.strip())
            continue
        told = json.loads(text)
        yield Line(**{**told, "found": tuple(told["found"])})


def _end(child: subprocess.Popen[str]) -> None:
    """Let it end its server first; then everything that it has started goes."""
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    end_session(child.pid)
