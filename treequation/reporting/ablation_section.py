"""The ablation as tables and a chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treequation.experiments import paper
from treequation.reporting.charts import Bars, Chart, Point, Series
from treequation.reporting.findings import Finding
from treequation.reporting.tables import Table, percent, probability, spread

TITLE = "Matching, loss and our additions, one at a time"


def tables(finding: Finding) -> list[Table]:
    """A row for each variant."""
    columns = ["variant", "origin", "paper %", "ours %", "change", "p", "unseen text %", "tree %", "left out"]
    rows = [_row(each, finding.data) for each in finding.content["variants"]]
    return with_failures(finding, columns, rows)


def with_failures(finding: Finding, columns: list[str], rows: list[list[str]]) -> list[Table]:
    """A table of variants, and a table of failed runs if there are any."""
    failed = [[name, reason] for name, reason in finding.content["failed"].items()]
    found = [Table.of(f"{finding.data}: {shared(finding.content)}", columns, rows)]
    return [*found, Table.of("Runs that failed", ["run", "reason"], failed)] if failed else found


def against_base(each: Mapping[str, Any]) -> list[str]:
    """A variant's accuracy, its difference from the base with the p-value, and its accuracy on unseen texts."""
    accuracy, against, unseen = each["literature_accuracy"], each["against_base"], each["unseen_accuracy"]
    change = "" if against is None else f"{100 * against['difference']:+.1f}"
    p_value = probability(None if against is None else against["p_value"])
    return [spread(accuracy["mean"], accuracy["std"]), change, p_value, spread(unseen["mean"], unseen["std"])]


def _row(each: Mapping[str, Any], data: str) -> list[str]:
    published = paper.ABLATION.get(each["name"]) if data == "mathqa" else None
    return [
        each["name"],
        each["origin"],
        "" if published is None else f"{published.accuracy:.1f} ± {published.std:.2f}",
        *against_base(each),
        percent(each["by_shape"].get("tree")),
        f"{each['left_out_of_training']:,}",
    ]


def shared(content: Mapping[str, Any]) -> str:
    """What all runs of a finding share, in words.

    >>> shared({"recipe": "mathqa", "encoder": "small", "epochs": 20, "seeds": 1, "problems": 1605})
    'recipe mathqa, encoder small, 20 epochs, 1 seed, 1,605 test problems'
    """
    seeds = content["seeds"]
    return (
        f"recipe {content['recipe']}, encoder {content['encoder']}, {content['epochs']} epochs, "
        f"{seeds} seed{'s' if seeds > 1 else ''}, {content['problems']:,} test problems"
    )


def charts(finding: Finding) -> list[Chart]:
    """Accuracy by variant, with the spread over seeds, or for one seed the interval over problems."""
    ours = [point(each["name"], each) for each in finding.content["variants"]]
    series = [Series("ours", tuple(ours))]
    if finding.data == "mathqa":
        names = {each["name"] for each in finding.content["variants"]}
        theirs = [Point(name, row.accuracy) for name, row in paper.ABLATION.items() if name in names]
        series.append(Series("the paper's", tuple(theirs), of_paper=True))
    return [Bars(finding.name, f"{finding.data}: one change at a time", "accuracy %", "", tuple(series))]


def point(x: str | float, each: Mapping[str, Any]) -> Point:
    """A variant's accuracy ± one standard deviation over seeds; for one seed, the interval over problems."""
    mean, std = each["literature_accuracy"]["mean"], each["literature_accuracy"]["std"]
    return Point.percent(x, mean, each["interval"] if std is None else (mean - std, mean + std))
