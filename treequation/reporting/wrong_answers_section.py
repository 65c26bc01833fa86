"""Wrong answers by cause as tables and a chart."""

from __future__ import annotations

from treequation.evaluation.analysis.wrong_answers import Cause
from treequation.reporting.charts import Bars, Chart, Point, Series
from treequation.reporting.findings import Finding
from treequation.reporting.tables import Table, percent

TITLE = "Wrong answers by cause"


def tables(finding: Finding) -> list[Table]:
    """The causes, then examples."""
    content = finding.content
    rows = [
        [
            name,
            str(each["count"]),
            percent(each["count"] / max(1, content["wrong"])),
            str(each["unseen"]),
            Cause(name).meaning,  # type: ignore[call-arg]  # mypy takes it for the creation of a member
        ]
        for name, each in content["causes"].items()
    ]
    title = f"{finding.data}, {content['solver']}: {content['wrong']:,} of {content['problems']:,} answers are wrong"
    found = [Table.of(title, ["cause", "problems", "% of the wrong", "unseen text", "meaning"], rows)]
    keys = ("prediction", "gold", "value", "answer")
    examples = [
        [cause, example["id"], *(example[key] or "–" for key in keys)]
        for cause, each in content["examples"].items()
        for example in each
    ]
    if examples:
        columns = ["cause", "problem", *keys]
        found.append(Table.of(f"{finding.data}: the surest mistakes of each kind", columns, examples))
    return found


def charts(finding: Finding) -> list[Chart]:
    """Wrong answers by cause."""
    points = tuple(Point(name, float(each["count"])) for name, each in finding.content["causes"].items())
    title = f"{finding.data}: wrong answers by cause"
    return [Bars(finding.name, title, "problems", "", (Series(finding.content["solver"], points),))]
