"""Accuracy by the structure and by the length of the gold equation, as a table and a chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treequation.experiments import paper
from treequation.reporting.charts import Bars, Chart, Lines, Point, Series
from treequation.reporting.findings import Finding
from treequation.reporting.tables import Table, percent, probability

STRUCTURE_TITLE = "Accuracy by the structure of the equation"
LENGTH_TITLE = "Accuracy by the number of expressions"


def tables(finding: Finding) -> list[Table]:
    """A row for each solver, a column for each group; the paper's rows below."""
    solvers = finding.content["solvers"]
    counts = _counts(finding)
    names = list(counts)
    columns = ["solver", *names, "all", "p against the first"]
    rows = [["problems", *(f"{count:,}" for count in counts.values()), f"{finding.content['problems']:,}", ""]]
    for each in solvers:
        cells = [percent(each["groups"][name]["accuracy"]) if name in each["groups"] else "" for name in names]
        rows.append([each["name"], *cells, percent(each["all"]["accuracy"]), probability(each["p_value"])])
    if finding.kind == "structure" and finding.data == "mathqa":
        for name, row in paper.STRUCTURE.items():
            cells = [f"{row[group]:.1f}" if group in row else "" for group in names]
            rows.append([f"paper: {name}", *cells, f"{row['all']:.1f}", ""])
    what = "structure" if finding.kind == "structure" else "number of expressions"
    return [Table.of(f"{finding.data}: accuracy % by the {what} of the gold equation", columns, rows)]


def _counts(finding: Finding) -> dict[str, int]:
    """The groups in which any solver has problems, in order, and how many there are."""
    return {name: group["count"] for each in finding.content["solvers"] for name, group in each["groups"].items()}


def charts(finding: Finding) -> list[Chart]:
    """Bars by structure, lines by length, with 95 % intervals."""
    names = list(_counts(finding))
    if finding.kind == "structure":
        series = [
            Series(each["name"], tuple(_point(name, each) for name in names if name in each["groups"]))
            for each in finding.content["solvers"]
        ]
        if finding.data == "mathqa":
            row = paper.STRUCTURE["Expression tree"]
            theirs = tuple(Point(name, row[name]) for name in names if name in row)
            series.append(Series("the paper's", theirs, of_paper=True))
        title = f"{finding.data}: accuracy by structure"
        return [Bars(finding.name, title, "accuracy %", "", tuple(series))]
    lengths = [name for name in names if name != "0"]
    lines = tuple(
        Series(
            each["name"],
            tuple(_point(name, each, float(name.rstrip("+"))) for name in lengths if name in each["groups"]),
        )
        for each in finding.content["solvers"]
    )
    title = f"{finding.data}: accuracy by the number of expressions (the last point: and more)"
    return [Lines(finding.name, title, "expressions of the gold equation", "accuracy %", lines)]


def _point(name: str, solver: Mapping[str, Any], x: float | None = None) -> Point:
    group = solver["groups"][name]
    return Point.percent(name if x is None else x, group["accuracy"], group["interval"])
