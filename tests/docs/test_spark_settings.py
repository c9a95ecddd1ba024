"""The page of Spark's settings and the code name the same ones."""

import re
from pathlib import Path

import pytest

from forklake.spark.session.job_settings import WRITE_SETTINGS
from forklake.spark.session.session_settings import DECIDING, REFUSED

PAGE = (Path(__file__).parents[2] / "docs" / "spark-settings.md").read_text(encoding="utf-8")


def _listed(title: str) -> dict[str, str]:
    """The settings in the table of a section, with what stands behind them."""
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.*?) \| (.*?) \|$", section, re.MULTILINE)
    return {name: what for names, what in rows for name in re.findall(r"`(spark\.[\w.]+)`", names)}


def test_the_page_lists_the_settings_that_are_refused() -> None:
    assert {*_listed("Refused")} - {"spark.sql.ansi.enabled"} == {*REFUSED}


def test_the_page_lists_the_settings_under_which_spark_alone_decides() -> None:
    listed = {name: value.strip("`") for name, value in _listed("Decided by Spark alone").items()}
    assert listed == {name: value or "not set" for name, value in DECIDING.items()}


@pytest.mark.parametrize("name", WRITE_SETTINGS)
def test_the_page_lists_the_settings_of_our_writes(name: str) -> None:
    assert WRITE_SETTINGS[name] in _listed("Without effect on our reads and writes")[name]
