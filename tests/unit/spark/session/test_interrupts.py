"""What Ctrl-C does to a process in which Spark was started in the background."""

import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, time
from forklake.spark.session.interrupts import cancel_jobs_on_interrupt

signal.signal(signal.SIGINT, signal.{})
cancel_jobs_on_interrupt()
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)
    print("goes on")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    ("given", "shown"),
    [("SIG_DFL", "interrupted"), ("SIG_IGN", "goes on"), ("default_int_handler", "interrupted")],
)
def test_interrupts_end_the_processes_that_they_ended_before(given: str, shown: str) -> None:
    command = [sys.executable, "-c", SCRIPT.format(given)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == (f"{shown}\n", "")
