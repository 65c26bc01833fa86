"""The decoding steps that gold equations need in each of the four families of decoders, and those that models took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from treequation.data.statistics import spread_of
from treequation.evaluation.scoring import Outcome
from treequation.expression.graph import ExpressionGraph
from treequation.expression.layers import decoding_steps
from treequation.text.problem import Problem

FAMILIES = {
    "infix": "sequence to sequence",
    "prefix": "sequence to tree",
    "expressions": "sequence to expression",
    "layers": "expression tree",
}


def gold_steps(graphs: Iterable[ExpressionGraph | None]) -> dict[str, dict[str, float]]:
    """The steps that each family of decoders needs for the gold equations; a problem may have none."""
    steps = [asdict(decoding_steps(graph)) for graph in graphs if graph is not None]
    return {family: spread_of([each[family] for each in steps]) for family in FAMILIES}


def measure(problems: Sequence[Problem], taken: Mapping[str, Sequence[Outcome]]) -> dict[str, Any]:
    """The finding: the gold steps, and those that the models took, by model name."""
    return {
        "problems": len(problems),
        "gold": gold_steps(problem.graph for problem in problems),
        "taken": {name: spread_of([each.steps for each in outcomes]) for name, outcomes in taken.items()},
    }
