"""Spark started in the background, in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from uuid import uuid4

import pytest

CONNECT = """
import os, signal, sys, threading, time
import forklake

settings = {"spark.master": "local[1]", "spark.driver.memory": "512m"}
session = forklake.connect(settings=settings, start_spark=True)
"""
QUERIES = """
session.sql("SET spark.sql.session.timeZone = 'America/New_York'")
print(forklake.connect().sql("SELECT current_timezone()").fetchall())
print(session.sql("SELECT current_timezone()").fetchall())
print(session.sql("SELECT count(*) FROM range(3)").fetchall())

# The first query of the start itself may still run.
while session.spark.sparkContext.statusTracker().getActiveJobsIds():
    time.sleep(0.05)

def send():
    while not session.spark.sparkContext.statusTracker().getActiveJobsIds():
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=send, daemon=True).start()
try:
    session.sql("SELECT count(*) FROM range(1000000000000000)").fetchall()
except KeyboardInterrupt:
    print("interrupted")
print(session.sql("SELECT count(*) FROM range(4)").fetchall())
print(forklake.connect().spark is session.spark)
"""
WAITS = {
    "at once": "",
    "after a second": "time.sleep(1)",
    "with a jvm": "from pyspark import SparkContext\nwhile SparkContext._gateway is None: time.sleep(0.01)",
    "within the context": "from pyspark import SparkContext\nwhile SparkContext._active_spark_context is None: pass",
}

OTHERS = """
starting = forklake.connect(settings=settings, start_spark=True)
print(forklake.connect(settings=settings).sql("SELECT count(*) FROM range(2)").fetchall())
print(starting.sql("SELECT count(*) FROM range(3)").fetchall())
print(session.sql("SELECT count(*) FROM range(4)").fetchall())
print(starting.spark is session.spark)
own = f"/proc/{os.getpid()}/task"
children = [child for thread in os.listdir(own) for child in open(f"{own}/{thread}/children").read().split()]
print(sum(os.readlink(f"/proc/{child}/exe").endswith("/java") for child in children))
"""


def run(code: str, mark: str = "", timeout: float = 250) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "FORKLAKE_TEST_MARK": mark}
    command = [sys.executable, "-W", "ignore", "-c", CONNECT + code]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, env=env)


def marked(mark: str) -> list[str]:
    """The processes that have a mark in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().decode().replace("\0", " ")[:200])
        except OSError:
            pass
    return found


def test_statements_wait_for_it_can_be_interrupted_and_other_sessions_change_no_setting_of_it() -> None:
    done = run(QUERIES)
    zones = ["[('America/New_York',)]"] * 2
    assert done.stdout.splitlines() == [*zones, "[(3,)]", "interrupted", "[(4,)]", "True"], done.stderr


def test_sessions_that_start_or_need_it_meanwhile_share_one_jvm() -> None:
    done = run(OTHERS)
    assert done.stdout.splitlines() == ["[(2,)]", "[(3,)]", "[(4,)]", "True", "1"], done.stderr


@pytest.mark.parametrize("wait", WAITS)
def test_a_process_that_ends_meanwhile_leaves_nothing_behind(wait: str) -> None:
    mark = uuid4().hex
    done = run(f"{WAITS[wait]}\nprint('end')", mark)
    # Output was read to its end: no process has kept it open.
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
    end = monotonic() + 5
    while (left := marked(mark)) and monotonic() < end:
        sleep(0.1)
    assert left == []


def test_a_failed_start_is_reported_when_spark_is_needed(tmp_path: Path) -> None:
    code = f"""
os.environ["JAVA_HOME"] = {str(tmp_path)!r}
session = forklake.connect(start_spark=True)
time.sleep(1)
try:
    session.sql("SELECT count(*) FROM range(3)")
except forklake.ForklakeError as error:
    print(str(error).partition(":")[0])
"""
    command = [sys.executable, "-W", "ignore", "-c", "import os, time\nimport forklake\n" + code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert (done.stdout, done.stderr) == ("Spark does not start\n", "")
