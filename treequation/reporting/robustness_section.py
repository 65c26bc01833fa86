"""Accuracy on changed problems, as a table and a chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treequation.reporting.charts import Bars, Chart, Point, Series
from treequation.reporting.findings import Finding
from treequation.reporting.tables import Table, percent, probability

TITLE = "Robustness: problems changed on purpose"
MEANINGS = {
    "changed numbers": "the equation is the same; its value is computed again",
    "changed names": "nothing else changes, nor should the answer",
    "swapped sentences": "the first two facts in the other order",
    "removed question": "the question is missing, so correct answers are guesses from the facts",
    "added distractor": "one more sentence, with a number that does not matter",
}


def tables(finding: Finding) -> list[Table]:
    """A row for each change."""
    rows = [_row(name, each) for name, each in finding.content["changes"].items()]
    columns = ["change", "problems", "before %", "after %", "gained", "lost", "p", "meaning"]
    content = finding.content
    title = f"{finding.data}, {content['solver']}: {content['problems']:,} problems"
    return [Table.of(title, columns, rows)]


def _row(name: str, each: Mapping[str, Any]) -> list[str]:
    before, after = each["before"], each["after"]
    if before is None or after is None:
        return [name, "0", "", "", "", "", "", MEANINGS[name]]
    accuracies = [percent(before["accuracy"]), percent(after["accuracy"])]
    counts = [str(each["gained"]), str(each["lost"]), probability(each["p_value"])]
    return [name, f"{before['count']:,}", *accuracies, *counts, MEANINGS[name]]


def charts(finding: Finding) -> list[Chart]:
    """Before and after, with 95 % intervals."""
    series = []
    for name, part in (("as they were", "before"), ("changed", "after")):
        points = tuple(
            Point.percent(change, figures["accuracy"], figures["interval"])
            for change, each in finding.content["changes"].items()
            if (figures := each[part]) is not None
        )
        series.append(Series(name, points))
    title = f"{finding.data}: accuracy on changed problems"
    return [Bars(finding.name, title, "accuracy %", "", tuple(series))]
