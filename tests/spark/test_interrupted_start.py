"""Ctrl-C while Spark starts."""

import subprocess
import sys
from pathlib import Path

from tests.spark.conftest import SETTINGS

RUN = f"""
session = forklake.connect(settings={SETTINGS!r})
threading.Thread(target=send, daemon=True).start()
try:
    session.sql("SELECT count(*) FROM range(1000000000000000)").fetchall()
except KeyboardInterrupt:
"""
SCRIPT = f"""
import os, signal, threading, time
from pyspark import SparkContext
import forklake

def send():
    while SparkContext._gateway is None:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

{RUN}    print("interrupted")
print(session.sql("SELECT count(*) FROM range(3)").fetchall())
"""


WHILE_LAUNCHING = f"""
import os, signal, threading, time
from pyspark import SparkContext
import forklake

task = f"/proc/self/task/{{threading.get_native_id()}}/children"

def send():
    while not open(task).read().split():
        time.sleep(0.001)
    # Python drops an interrupt that arrives within what it calls after a fork.
    time.sleep(0.2)
    assert SparkContext._gateway is None
    os.kill(os.getpid(), signal.SIGINT)

{RUN}    # A JVM that nobody ends would go on as long as this process.
    [child] = open(task).read().split()
    ended, status = os.waitpid(int(child), 0)
    print("interrupted", os.WTERMSIG(status))
"""


def test_an_interrupt_while_the_jvm_is_launched_ends_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WHILE_LAUNCHING]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert done.stdout == "interrupted 9\n", done.stderr


def test_a_session_whose_start_was_interrupted_starts_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert done.stdout.split("\n")[:2] == ["interrupted", "[(3,)]"], done.stderr
