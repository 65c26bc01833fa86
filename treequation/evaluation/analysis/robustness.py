"""Accuracy on changed problems, compared with the original problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from treequation.evaluation.paired_comparison import mcnemar
from treequation.evaluation.perturbation import CHANGES
from treequation.evaluation.scoring import Outcome
from treequation.evaluation.summary import Summary, figures
from treequation.text.problem import Problem


def measure(
    solve: Callable[[Sequence[Problem]], list[Outcome]], problems: Sequence[Problem], *, seed: int = 0
) -> dict[str, Any]:
    """The finding: for each change, the accuracy before and after on the problems that it applies to.

    Answers are scored as in the literature, against the value of the gold equation: every changed problem has one, but
    not every one has an annotated answer.
    """
    before = solve(problems)
    changes = {}
    for name, change in CHANGES.items():
        changed = [change(problem, Random(f"{seed} {name} {problem.id}")) for problem in problems]
        pairs = [(old, new) for old, new in zip(before, changed, strict=True) if new is not None]
        after = solve([new for _, new in pairs])
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
    return figures(Summary.of(outcomes)) if outcomes else None
