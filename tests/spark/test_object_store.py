"""Part of these tests once more, with the files of lakes on S3.

`FORKLAKE_TEST_STORE=s3` does the same with any of them. Spark needs other settings from its start, so they run in a
process of their own.
"""

from pathlib import Path

import pytest

from tests.s3_server import NoGo, s3_program
from tests.spark.inside import run_again

CHOSEN = ["tests/spark/over_s3.py", "tests/spark/test_merge.py"]
MERGES = "first_that_holds or may_read_the_target or (changed_twice and DataFrame)"
KEYWORDS = f"over_s3 or (sqlite-root and ({MERGES}))"
"""What is different there, and of the rest three merges, of which one fails: what differs is the storage."""


@pytest.mark.timeout(1500)
def test_the_data_path_works_on_s3(tmp_path: Path) -> None:
    try:
        s3_program()
    except NoGo as reason:
        pytest.skip(f"NOT TESTED HERE: {reason}")
    run_again(tmp_path, CHOSEN, KEYWORDS, FORKLAKE_TEST_STORE="s3")
