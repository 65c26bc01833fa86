"""Decoding steps of the four families of decoders: those that the gold equations need, and those that models took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean, pstdev
from typing import Any

from treequation.evaluation import paper
from treequation.evaluation.charts import Bars, Chart, Point, Series
from treequation.evaluation.findings import Finding
from treequation.evaluation.scoring import Outcome
from treequation.evaluation.tables import Table
from treequation.expression.layers import decoding_steps
from treequation.text.problem import Problem

TITLE = "Decoding steps"
FAMILIES = {
    "infix": "sequence to sequence",
    "prefix": "sequence to tree",
    "expressions": "sequence to expression",
    "layers": "expression tree",
}


def spread_of(values: Sequence[int]) -> dict[str, float]:
    """As the paper's step table: mean, standard deviation, most.

    >>> spread_of([1, 3])
    {'mean': 2.0, 'std': 1.0, 'max': 3}
    """
    return {"mean": fmean(values), "std": pstdev(values), "max": max(values)}


def gold_steps(problems: Sequence[Problem]) -> dict[str, dict[str, float]]:
    """The steps that each family of decoders needs for the gold equations."""
    steps = [asdict(decoding_steps(problem.graph)) for problem in problems if problem.graph is not None]
    return {family: spread_of([each[family] for each in steps]) for family in FAMILIES}


def measure(problems: Sequence[Problem], taken: Mapping[str, Sequence[Outcome]]) -> dict[str, Any]:
    """The finding: gold steps, and those that some models took, by name."""
    return {
        "problems": len(problems),
        "gold": gold_steps(problems),
        "taken": {name: spread_of([each.steps for each in outcomes]) for name, outcomes in taken.items()},
    }


def tables(finding: Finding) -> list[Table]:
    """The families, ours and the paper's, then the models."""
    published = paper.STEPS.get(finding.data, {})
    rows = []
    for family, name in FAMILIES.items():
        theirs = published.get(family)
        cells = ["", "", ""] if theirs is None else [f"{theirs.mean:.2f}", f"{theirs.std:.2f}", str(theirs.most)]
        rows.append([name, *_cells(finding.content["gold"][family]), *cells])
    rows += [[f"{name}, as it decodes", *_cells(each), "", "", ""] for name, each in finding.content["taken"].items()]
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
