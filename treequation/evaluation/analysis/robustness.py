"""Accuracy on changed problems, beside the same problems as they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from treequation.evaluation.charts import Bars, Chart, Point, Series
from treequation.evaluation.comparison import mcnemar
from treequation.evaluation.findings import Finding
from treequation.evaluation.perturbation import CHANGES
from treequation.evaluation.report import Summary, interval
from treequation.evaluation.scoring import Outcome
from treequation.evaluation.tables import Table, percent, probability
from treequation.text.problem import Problem

TITLE = "Robustness: problems changed on purpose"
MEANINGS = {
    "changed numbers": "the equation is the same; its value is computed anew",
    "changed names": "nothing else changes, nor should the answer",
    "swapped sentences": "the first two facts in the other order",
    "removed question": "nobody can know what is asked: what is still right was guessed from the facts",
    "added distractor": "one more sentence with a number that has nothing to do with it",
}


def measure(
    ask: Callable[[Sequence[Problem]], list[Outcome]], problems: Sequence[Problem], *, seed: int = 0
) -> dict[str, Any]:
    """The finding: of each change the problems that it applies to, right before and after, by the literature's score.

    That score compares with the gold equation's value, which is there for every change, as annotated answers are not.
    """
    before = ask(problems)
    changes = {}
    for name, change in CHANGES.items():
        changed = [change(problem, Random(f"{seed} {name} {problem.id}")) for problem in problems]
        pairs = [(old, new) for old, new in zip(before, changed, strict=True) if new is not None]
        after = ask([new for _, new in pairs])
        changes[name] = _compared([old for old, _ in pairs], after)
    return {"problems": len(problems), "seed": seed, "all": _figures(before), "changes": changes}


def _compared(before: Sequence[Outcome], after: Sequence[Outcome]) -> dict[str, Any]:
    right = [(old.literature_right, new.literature_right) for old, new in zip(before, after, strict=True)]
    gained, lost = right.count((False, True)), right.count((True, False))
    return {
        "before": _figures(before),
        "after": _figures(after),
        "gained": gained,
        "lost": lost,
        "p_value": mcnemar(gained, lost),
    }


def _figures(outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    if not outcomes:
        return None
    accuracy = Summary.of(outcomes).literature_accuracy
    return {"count": len(outcomes), "accuracy": accuracy, "interval": interval(accuracy, len(outcomes))}


def tables(finding: Finding) -> list[Table]:
    """A row for each change."""
    rows = [_row(name, each) for name, each in finding.content["changes"].items()]
    columns = ["change", "problems", "before %", "after %", "gained", "lost", "p", "that is"]
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
        points = []
        for change, each in finding.content["changes"].items():
            if (figures := each[part]) is not None:
                low, high = figures["interval"]
                points.append(Point(change, 100 * figures["accuracy"], 100 * low, 100 * high))
        series.append(Series(name, tuple(points)))
    title = f"{finding.data}: accuracy on changed problems"
    return [Bars(finding.name, title, "accuracy %", "", tuple(series))]
