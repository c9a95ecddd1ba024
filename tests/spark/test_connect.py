"""Part of these tests once more, over Spark Connect.

A process has classic sessions or clients of Spark Connect, and not both: so they run in a process of their own.
`FORKLAKE_TEST_SPARK=connect` does the same with any of them.
"""

from pathlib import Path

from tests.spark.inside import run_again

CHOSEN = ["tests/spark/over_connect.py", "tests/spark/test_merge.py"]
MERGES = "first_that_holds or may_read_the_target or (changed_twice and DataFrame)"
KEYWORDS = f"over_connect or (sqlite-root and ({MERGES}))"
"""What is different there, and of the rest three merges, of which one fails: what differs is Spark."""


def test_the_data_path_works_over_spark_connect(tmp_path: Path) -> None:
    run_again(tmp_path, CHOSEN, KEYWORDS, FORKLAKE_TEST_SPARK="connect")
