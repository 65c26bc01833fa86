"""Accuracy by the structure and by the length of the gold equation, for several models side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treequation.evaluation.paired_comparison import compare
from treequation.evaluation.scoring import Outcome
from treequation.evaluation.summary import Report, Summary, figures


def measure(kind: str, solvers: Mapping[str, Sequence[Outcome]]) -> dict[str, Any]:
    """The finding of kind ``structure`` or ``length``: each solver's figures, and its comparison with the first."""
    first = next(iter(solvers.values()))
    return {
        "problems": len(first),
        "solvers": [
            {
                "name": name,
                "all": figures(Summary.of(outcomes)),
                "groups": {group: figures(summary) for group, summary in _groups(kind, outcomes).items()},
                "p_value": None if outcomes is first else compare(outcomes, first, "literature").p_value,
            }
            for name, outcomes in solvers.items()
        ],
    }


def _groups(kind: str, outcomes: Sequence[Outcome]) -> Mapping[str, Summary]:
    report = Report.of(outcomes)
    return report.by_shape if kind == "structure" else report.by_expressions
