"""Part of these tests once more, over Spark Connect.

A process has classic sessions or clients of Spark Connect, and not both: so they run in a process of their own.
`FORKLAKE_TEST_SPARK=connect` does the same with any of them.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHOSEN = ["tests/spark/over_connect.py", "tests/spark/test_merge.py"]
KEYWORDS = "over_connect or sqlite-fork"
"""What is different there, and of the rest one kind of lake: what differs is Spark."""


def test_the_data_path_works_over_spark_connect(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "--timeout=200", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, f"--basetemp={tmp_path / 'runs'}", "-k", KEYWORDS, *CHOSEN],
        cwd=ROOT,
        env={**os.environ, "FORKLAKE_TEST_SPARK": "connect"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
