"""Charts as SVG."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.peers.plots import Bars, Chart, Lines, write_charts
from benchmarks.peers.tpch_queries import totals_chart
from benchmarks.report import around_results

RESULTS = Path(__file__).parents[3] / "docs" / "benchmarks"

BARS = Bars("queries", "Queries <all>", "s", {"q1": {"ours": 1.0, "theirs": 2.0}, "q2": {"ours": 0.5, "theirs": 0.25}})
LINES = Lines(
    "growth", "Growth", "files", "ms", {"fork": ((10, 1), (1_000, 1.1)), "planning": ((10, 0.02), (1_000, 2))}
)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("chart", [BARS, LINES])
def test_a_chart_is_well_formed_and_always_the_same(chart: Chart):
    assert chart.svg() == chart.svg()
    assert ElementTree.fromstring(chart.svg()).find(f"{SVG}title") is not None


def test_bars_are_as_long_as_their_values_say():
    rects = [rect for rect in ElementTree.fromstring(BARS.svg()).iter(f"{SVG}rect") if len(rect)]
    widths = [float(rect.attrib["width"]) for rect in rects]
    assert [width / max(widths) for width in widths] == pytest.approx([0.5, 1.0, 0.25, 0.125], abs=0.001)


def test_a_series_has_one_colour_everywhere():
    rects = list(ElementTree.fromstring(BARS.svg()).iter(f"{SVG}rect"))
    assert [rect.attrib["fill"] for rect in rects[:2]] == [rect.attrib["fill"] for rect in rects[2:4]]


def test_equal_factors_are_equal_distances_on_both_axes():
    points = {"line": tuple((10.0**power, 10.0**power) for power in range(4))}
    [line] = ElementTree.fromstring(Lines("a", "A", "n", "s", points).svg()).iter(f"{SVG}polyline")
    at = [tuple(map(float, pair.split(","))) for pair in line.attrib["points"].split()]
    for axis in (0, 1):
        steps = [second[axis] - first[axis] for first, second in pairwise(at)]
        assert steps == pytest.approx([steps[0]] * 3, abs=0.2)


def test_a_logarithmic_axis_refuses_zero():
    with pytest.raises(ValueError, match="positive"):
        Lines("a", "A", "n", "s", {"line": ((0, 1),)}).svg()


def test_charts_are_written_under_their_names(tmp_path: Path):
    assert write_charts(tmp_path / "charts", [BARS, LINES]) == [
        tmp_path / "charts" / "queries.svg",
        tmp_path / "charts" / "growth.svg",
    ]
    assert (tmp_path / "charts" / "growth.svg").read_text(encoding="utf-8") == LINES.svg()


def test_a_chart_of_totals_adds_up_the_queries_of_each_phase():
    phases = [replace(BARS, title=f"TPC-H, {phase}") for phase in ("loaded", "changed")]
    both = {"ours": 1.5, "theirs": 2.25}
    assert totals_chart(phases).groups == {"loaded": both, "changed": both}


@pytest.mark.parametrize(
    ("page", "targets"),
    [
        ("beside-others", ["bench", "bench-alone"]),
        ("metadata", ["bench-metadata"]),
        ("data", ["bench-data"]),
    ],
)
def test_results_are_written_to_pages_of_their_own(page: str, targets: list[str]):
    for target in targets:
        before, after = around_results(RESULTS / f"{page}.md", target)
        assert before.startswith("# Results: ")
        assert after
