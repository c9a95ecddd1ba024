"""When a ratio has slipped."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from benchmarks.data.bench import Bench
from benchmarks.peers import guard as subject
from benchmarks.peers.guard import guard, read_recorded, record, with_recorded_bar
from benchmarks.peers.guarded import RATIOS, Ratio
from benchmarks.report import Facts, Figure
from benchmarks.timing import Sample

FACTS: dict[str, Facts] = {"machine": {"cores": 2}, "versions": {"python": "3.11", "source": "abc"}}


def ratio(value: float) -> Figure:
    return Figure("guard", "", "fork", value, "x", None, "2 ms against 1 ms")


@pytest.mark.parametrize(("value", "verdict"), [(1.5, "PASS"), (2.0, "PASS"), (2.6, "PASS"), (2.7, "FAIL")])
def test_a_ratio_slips_by_more_than_a_third(value: float, verdict: str):
    assert with_recorded_bar(ratio(value), {"fork": 2.0}).verdict == verdict


def test_a_new_ratio_has_no_bar():
    found = with_recorded_bar(ratio(9.0), {"commit": 1.0})
    assert (found.verdict, found.detail) == ("", "2 ms against 1 ms; not recorded yet")


def test_recording_keeps_what_was_not_measured(tmp_path: Path):
    path = tmp_path / "recorded.json"
    assert read_recorded(path) == {}
    record([Figure("guard", "", "scan", 1.01), Figure("guard", "", "fork", 5.0)], FACTS, path)
    record([ratio(2.00004)], FACTS, path)
    assert read_recorded(path) == {"fork": 2.0, "scan": 1.01}
    assert json.loads(path.read_text(encoding="utf-8"))["versions"] == {"python": "3.11"}


@pytest.mark.parametrize(("second", "verdict"), [(1.0, "PASS"), (3.0, "FAIL")])
def test_a_ratio_counts_as_slipped_only_when_measured_twice(
    second: float, verdict: str, monkeypatch: pytest.MonkeyPatch
):
    ours: Iterator[float] = iter((3.0, second))
    monkeypatch.setattr(subject, "RATIOS", {"fork": Ratio("a : b", lambda _: (Sample((next(ours),)), Sample((1.0,))))})
    [figure] = guard(cast(Bench, None), ["fork"], {"fork": 1.0})
    assert figure.verdict == verdict
    assert list(ours) == []


def test_only_ratios_that_are_measured_are_recorded():
    assert set(read_recorded()) <= set(RATIOS)
