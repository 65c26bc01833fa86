"""Decoding steps of the four families of decoders, beside the paper's, as a table and a chart."""

from __future__ import annotations

from collections.abc import Mapping

from treequation.evaluation.analysis.decoding_steps import FAMILIES
from treequation.experiments import paper
from treequation.reporting.charts import Bars, Chart, Point, Series
from treequation.reporting.findings import Finding
from treequation.reporting.tables import Table

TITLE = "Decoding steps"


def tables(finding: Finding) -> list[Table]:
    """The families, ours and the paper's, then the models."""
    published = paper.STEPS.get(finding.data, {})
    rows = []
    for family, name in FAMILIES.items():
        theirs = published.get(family)
        cells = ["", "", ""] if theirs is None else _cells(theirs._asdict())
        rows.append([name, *_cells(finding.content["gold"][family]), *cells])
    rows += [[f"{name}, measured", *_cells(each), "", "", ""] for name, each in finding.content["taken"].items()]
    columns = ["family", "mean", "std", "max", "paper: mean", "std", "max"]
    return [Table.of(f"{finding.data}: steps for {finding.content['problems']:,} gold equations", columns, rows)]


def _cells(spread: Mapping[str, float]) -> list[str]:
    return [f"{spread['mean']:.2f}", f"{spread['std']:.2f}", f"{spread['max']:.0f}"]


def charts(finding: Finding) -> list[Chart]:
    """Mean steps by family."""
    gold = finding.content["gold"]
    series = [Series("gold equations", tuple(Point(name, gold[key]["mean"]) for key, name in FAMILIES.items()))]
    if published := paper.STEPS.get(finding.data):
        theirs = tuple(Point(FAMILIES[key], steps.mean) for key, steps in published.items())
        series.append(Series("the paper's", theirs, of_paper=True))
    return [Bars(finding.name, f"{finding.data}: steps to write an equation", "mean steps", "", tuple(series))]
