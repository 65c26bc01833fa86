"""Summarises the outcomes of a test set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, stdev
from typing import Any

import numpy as np

from treequation.evaluation.calibration import Calibration, calibration
from treequation.evaluation.scoring import Outcome
from treequation.expression.graph import Operator
from treequation.expression.layers import Shape

SCORES = ("answer_accuracy", "equation_accuracy", "literature_accuracy")
"""The three accuracies of a model."""
_RESAMPLES = 10_000
MAX_EXPRESSIONS = 8  # the paper's last column: eight expressions and more


@dataclass(frozen=True, slots=True)
class Summary:
    """Accuracies, and the mean number of decoding steps.

    ``equation_accuracy`` is over the problems with a gold equation, and None if there are none.
    """

    count: int
    answer_accuracy: float
    equation_accuracy: float | None
    literature_accuracy: float
    mean_steps: float

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Summary:
        """The summary of one or more outcomes."""
        count = len(outcomes)
        if not count:
            raise ValueError("there are no outcomes to summarise")
        equations = [o.equation_right for o in outcomes if o.equation_right is not None]
        return cls(
            count,
            sum(o.answer_right for o in outcomes) / count,
            sum(equations) / len(equations) if equations else None,
            sum(o.literature_right for o in outcomes) / count,
            sum(o.steps for o in outcomes) / count,
        )

    @property
    def scores(self) -> dict[str, float | None]:
        """The three accuracies by name."""
        return {score: getattr(self, score) for score in SCORES}


def mean_and_std(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean over several runs, and the sample standard deviation; a single run has none.

    >>> mean_and_std([1, 2, 3]), mean_and_std([0.5])
    ((2.0, 1.0), (0.5, None))
    """
    return fmean(values), stdev(values) if len(values) > 1 else None


Interval = tuple[float, float]


def interval(accuracy: float, count: int) -> Interval:
    """The 95 % bootstrap interval of an accuracy over ``count`` problems.

    Drawing ``count`` outcomes with replacement gives a binomial number of right ones, so that number is drawn directly.

    >>> low, high = interval(0.8, 1000)
    >>> round(low, 2), round(high, 2)
    (0.78, 0.82)
    """
    means = np.random.default_rng(0).binomial(count, accuracy, _RESAMPLES) / count
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def wilson(right: int, count: int) -> Interval:
    """Wilson's 95 % interval for ``right`` of ``count`` problems; it also holds for few problems.

    >>> low, high = wilson(50, 50)
    >>> round(low, 2), round(high, 2)
    (0.93, 1.0)
    """
    from scipy import stats  # imported here, since evaluating a light folder works without SciPy

    found = stats.binomtest(right, count).proportion_ci(method="wilson")
    return float(found.low), float(found.high)


def figures(summary: Summary) -> dict[str, Any]:
    """The size of a group, its accuracy by the literature's score, and the interval of that accuracy."""
    accuracy = summary.literature_accuracy
    return {"count": summary.count, "accuracy": accuracy, "interval": interval(accuracy, summary.count)}


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of a test set. Groups without problems are left out."""

    overall: Summary
    intervals: Mapping[str, Interval]  # of the accuracies
    no_answer: int  # problems without a value: nothing decoded, undefined, too long
    by_shape: Mapping[str, Summary]
    by_expressions: Mapping[str, Summary]
    by_operator: Mapping[str, Summary]  # a problem counts for every operator of its equation
    by_text: Mapping[str, Summary]  # whether the text was seen in training; empty if that is not known
    calibration: Calibration  # of the answers

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Report:
        """The report on one or more outcomes."""
        overall = Summary.of(outcomes)
        with_equation = sum(o.equation_right is not None for o in outcomes)
        counts = {"equation_accuracy": with_equation}
        return cls(
            overall,
            intervals={
                name: interval(score, counts.get(name, overall.count))
                for name, score in overall.scores.items()
                if score is not None
            },
            no_answer=sum(not outcome.value for outcome in outcomes),
            by_shape=_groups(outcomes, [shape.value for shape in Shape], lambda o: [o.shape] if o.shape else []),
            by_expressions=_groups(outcomes, _EXPRESSIONS, _expressions),
            by_operator=_groups(outcomes, _OPERATORS, lambda o: [name for name in _OPERATORS if name in o.operators]),
            by_text=_groups(outcomes, ["seen", "unseen"], _text),
            calibration=calibration([o.confidence for o in outcomes], [o.answer_right for o in outcomes]),
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON: the overall figures at the top level, the others nested."""
        whole = asdict(self)
        return {**whole.pop("overall"), **whole}


_OPERATORS = [operator.value for operator in Operator]
_EXPRESSIONS = [*(str(count) for count in range(MAX_EXPRESSIONS)), f"{MAX_EXPRESSIONS}+"]


def _expressions(outcome: Outcome) -> list[str]:
    return [] if outcome.expressions is None else [_EXPRESSIONS[min(outcome.expressions, MAX_EXPRESSIONS)]]


def _text(outcome: Outcome) -> list[str]:
    return [] if outcome.seen is None else ["seen" if outcome.seen else "unseen"]


def _groups(
    outcomes: Sequence[Outcome], names: Sequence[str], names_of: Callable[[Outcome], Iterable[str]]
) -> dict[str, Summary]:
    members: dict[str, list[Outcome]] = {name: [] for name in names}
    for outcome in outcomes:
        for name in names_of(outcome):
            members[name].append(outcome)
    return {name: Summary.of(group) for name, group in members.items() if group}
