"""Language models beside the light model, as a table a draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treequation.reporting.charts import Chart
from treequation.reporting.findings import Finding
from treequation.reporting.tables import Table, percent, probability

TITLE = "Small language models beside the light model"


def tables(finding: Finding) -> list[Table]:
    """The sizes, then a table for each draw: a row for ours and for each language model."""
    content = finding.content
    size = {content["ours"]["name"]: content["ours"]["megabytes"]}
    size |= {each["name"]: each["megabytes"] for each in content["models"]}
    columns = ["model", "MB", "right", "accuracy %", "95 % interval", "ours on the same %", "p", "s a problem", "times"]
    found = []
    for draw in content["draws"]:
        first = draw["entries"][0]
        title = f"{draw['source']}: {draw['drawn']:,} of {draw['of']:,} problems, drawn with seed {content['seed']}"
        found.append(Table.of(title, columns, [_row(each, first, size[each["name"]]) for each in draw["entries"]]))
    return found


def _row(each: Mapping[str, Any], first: Mapping[str, Any], megabytes: float | None) -> list[str]:
    low, high = each["interval"]
    against, seconds = each["against_ours"], each["seconds"]
    times = "" if against is None or seconds is None else f"{seconds['median'] / first['seconds']['median']:,.0f}"
    return [
        each["name"],
        "" if megabytes is None else f"{megabytes:,.0f}",
        f"{each['right']} of {each['count']}",
        percent(each["accuracy"]),
        f"{percent(low)} to {percent(high)}",
        "" if against is None else percent(each["ours_right"] / each["count"]),
        probability(None if against is None else against["p_value"]),
        "" if seconds is None else f"{seconds['median']:.3g}",
        times,
    ]


def charts(finding: Finding) -> list[Chart]:
    """None: the tables say it."""
    return []
