"""Figures show what their charts say, and the same chart is the same file."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from treequation.reporting.charts import Bars, HeatMap, Lines, Point, Scatter, Series
from treequation.reporting.figures import draw, save

OURS = Series("ours", (Point("tree", 70.0, 65.0, 76.0), Point("chain", 80.0, 78.0, 82.0)))
THEIRS = Series("the paper's", (Point("tree", 75.2),), of_paper=True)
BARS = Bars("bars", "By structure", "accuracy %", "structure", (OURS, THEIRS))
CURVE = Series("ours", (Point(1, 70.0), Point(6, 75.0), Point(30, 60.0)))
LINES = Lines("lines", "By queries", "queries", "accuracy %", (CURVE,))
HEAT = HeatMap("heat", "Near", "", "query", ("$5", "每"), ("1", "2"), ((0.1, 0.2), (0.3, -0.4)), marked=(1,))

POINTS = ("a", Point(3.0, 70.0, 68.0, 72.0)), ("b", Point(30.0, 80.0)), ("c", Point(3.1, 70.1))
SCATTER = Scatter("scatter", "Steps", "steps", "accuracy %", POINTS)


def test_bars_have_the_values_and_the_whiskers() -> None:
    axes = draw(BARS).axes[0]
    bars, errors = axes.containers[:2] if len(axes.containers) > 1 else (axes.containers[0], None)
    widths = [patch.get_width() for patch in axes.patches]
    assert widths == [70.0, 80.0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["tree", "chain"]
    (whiskers,) = [c for c in (bars, errors) if c is not None and hasattr(c, "has_xerr") and c.has_xerr]
    ends = whiskers.lines[2][0].get_segments()
    assert [[float(x) for x, _ in segment] for segment in ends] == [[65.0, 76.0], [78.0, 82.0]]
    marks = axes.collections[-1].get_offsets()
    assert [float(x) for x, _ in marks] == [75.2]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("accuracy %", "structure")


def test_lines_and_heat_maps_have_the_values() -> None:
    axes = draw(LINES).axes[0]
    assert axes.lines[0].get_xydata().tolist() == [[1.0, 70.0], [6.0, 75.0], [30.0, 60.0]]
    axes = draw(HEAT).axes[0]
    assert axes.images[0].get_array().tolist() == [[0.1, 0.2], [0.3, -0.4]]
    assert [label.get_text() for label in axes.get_xticklabels()] == [r"\$5", "每"]


def test_a_scatter_has_a_name_beside_each_mark_and_none_over_another() -> None:
    axes = draw(SCATTER).axes[0]
    assert [text.get_text() for text in axes.texts] == ["a", "c", "b"]  # from the lowest
    heights = [text.get_position()[1] for text in axes.texts]
    assert min(b - a for a, b in itertools.pairwise(heights)) > 0.1
    assert axes.get_xscale() == "log"


@pytest.mark.parametrize("chart", [BARS, LINES, HEAT, SCATTER])
def test_files(chart: Bars | Lines | HeatMap | Scatter, tmp_path: Path) -> None:
    paths = save([chart], tmp_path)
    assert [path.name for path in paths] == [f"{chart.name}.svg", f"{chart.name}.png"]
    again, _ = save([chart], tmp_path / "again")
    assert again.read_bytes() == paths[0].read_bytes()
    text = paths[0].read_text(encoding="utf-8")
    assert chart.title in text
    assert "<text" in text  # words stay words
