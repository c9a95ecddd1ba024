"""The demo runs, and says what it found."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import forklake
from examples import demo


def test_the_demo_runs_from_start_to_end(
    tmp_path: Path, spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    with forklake.connect(spark=spark) as session:
        demo.tour(session, tmp_path, 4000)
    shown = " ".join(capsys.readouterr().out.split())
    assert "200 customers, 4,000 orders, 4,000 events" in shown
    assert "features added a column to customers, and dropped all events" in shown
    assert "update_postimage" in shown
    assert "the shop still has 4,000 orders" in shown
    assert "0 problems found" in shown
