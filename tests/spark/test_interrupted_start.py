"""Ctrl-C while Spark starts."""

import subprocess
import sys
from pathlib import Path

from tests.spark.conftest import SETTINGS

SCRIPT = f"""
import os, signal, threading, time
from pyspark import SparkContext
import forklake

def send():
    while SparkContext._gateway is None:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

session = forklake.connect(settings={SETTINGS!r})
threading.Thread(target=send, daemon=True).start()
try:
    session.sql("SELECT count(*) FROM range(1000000000000000)").fetchall()
except KeyboardInterrupt:
    print("interrupted")
print(session.sql("SELECT count(*) FROM range(3)").fetchall())
"""


def test_a_session_whose_start_was_interrupted_starts_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert done.stdout.split("\n")[:2] == ["interrupted", "[(3,)]"], done.stderr
