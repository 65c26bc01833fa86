"""The number of queries as a table and charts."""

from __future__ import annotations

from typing import Any

from treequation.experiments import paper
from treequation.reporting.ablation_section import against_base, point, with_failures
from treequation.reporting.charts import Chart, Lines, Point, Series
from treequation.reporting.findings import Finding
from treequation.reporting.tables import Table, percent

TITLE = "The number of queries"


def tables(finding: Finding) -> list[Table]:
    """A row for each number of queries, with statistics of its matching."""
    columns = ["queries", "paper %", "ours %", "against the fewest", "p", "unseen text %", "mean steps"]
    columns += ["left out", "labels None %", "same query twice %", "queries in use"]
    rows = [_row(each, paper.QUERIES.get(finding.data, {})) for each in finding.content["counts"]]
    return with_failures(finding, columns, rows)


def _row(each: dict[str, Any], published: dict[int, float]) -> list[str]:
    matching = each["matching"]
    theirs = published.get(int(each["name"]))
    return [
        each["name"],
        "" if theirs is None else f"{theirs:.1f}",
        *against_base(each),
        f"{each['mean_steps']:.2f}",
        f"{each['left_out_of_training']:,}",
        percent(matching["none_share"]),
        percent(matching["stability"]),
        "" if matching["used_queries"] is None else f"{matching['used_queries']:.1f}",
    ]


def charts(finding: Finding) -> list[Chart]:
    """Accuracy against the number of queries, and the two reasons why many may hurt."""
    counts = finding.content["counts"]
    ours = Series("ours", tuple(point(float(each["name"]), each) for each in counts))
    theirs = paper.QUERIES.get(finding.data, {})
    published = Series("the paper's", tuple(Point(float(n), a) for n, a in theirs.items()), of_paper=True)
    reasons = [
        Series(
            name,
            tuple(
                Point(float(each["name"]), 100 * each["matching"][key])
                for each in counts
                if each["matching"][key] is not None
            ),
        )
        for name, key in (("labels that are None", "none_share"), ("expressions that keep their query", "stability"))
    ]
    title = f"{finding.data}: accuracy by the number of queries"
    series = (ours, published) if theirs else (ours,)
    return [
        Lines(finding.name, title, "queries", "accuracy %", series),
        Lines(
            f"{finding.name}-matching",
            f"{finding.data}: what the queries are trained to predict",
            "queries",
            "%",
            tuple(reasons),
        ),
    ]
