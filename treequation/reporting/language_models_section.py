"""Language models beside the light model, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treequation.reporting.charts import Chart
from treequation.reporting.findings import Finding
from treequation.reporting.tables import Table, percent, probability

TITLE = "Small language models beside the light model"


def tables(finding: Finding) -> list[Table]:
    """Right answers, draw by draw, ours first; then the cost."""
    content = finding.content
    columns = ["drawn problems", "model", "right", "accuracy %", "95 % interval", "ours on the same %", "p"]
    rows = [
        [f"{draw['source']}: {each['count']} of {draw['of']:,}", *_right(each)]
        for draw in content["draws"]
        for each in draw["entries"]
    ]
    return [
        Table.of(f"Right answers, on problems drawn with seed {content['seed']}", columns, rows),
        _cost(content),
    ]


def _right(each: Mapping[str, Any]) -> list[str]:
    low, high = each["interval"]
    against = each["against_ours"]
    return [
        each["name"],
        str(each["right"]),
        percent(each["accuracy"]),
        f"{percent(low)} to {percent(high)}",
        "" if against is None else percent(each["ours_right"] / each["count"]),
        probability(None if against is None else against["p_value"]),
    ]


def _cost(content: Mapping[str, Any]) -> Table:
    """Megabytes, and for each draw the median seconds per problem: wall-clock time, and all cores together."""
    rows = []
    for place, about in enumerate([{**content["ours"], "prompt": "", "samples": ""}, *content["models"]]):
        size = about["megabytes"]
        seconds = [_seconds(draw["entries"][place]["seconds"]) for draw in content["draws"]]
        prompting = [str(about["prompt"]), str(about["samples"])]
        rows.append([about["name"], *prompting, "" if size is None else f"{size:,.0f}", *seconds])
    counts = {each["seconds"]["problems"] for draw in content["draws"] for each in draw["entries"] if each["seconds"]}
    load = content["machine"]["load"]
    timed = " to ".join(map(str, sorted({min(counts), max(counts)}))) if counts else ""
    how = f"; {timed} problems each, at a load of {load[0]}" if counts and load else ""
    columns = ["model", "prompt", "samples", "MB", *(draw["source"] for draw in content["draws"])]
    return Table.of(f"Size, and median seconds a problem (processor seconds in brackets){how}", columns, rows)


def _seconds(timed: Mapping[str, Any] | None) -> str:
    if timed is None:
        return ""
    return f"{timed['median']:.2g}" + ("" if timed["processor"] is None else f" ({timed['processor']:.2g})")


def charts(finding: Finding) -> list[Chart]:
    """None: the tables say it all."""
    return []
