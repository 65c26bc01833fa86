"""Compares two models on the same problems, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from treequation.data.reading import DataError
from treequation.evaluation.scoring import Outcome

_SAME = 1e-12  # a smaller difference between shares is rounding error
Score = Literal["answer", "equation", "literature"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How often each of two models is right, problem by problem.

    ``gained`` are the ids of the problems that only the first model solves, ``lost`` those that only the other does.
    ``p_value`` is that of McNemar's exact two-sided test: the probability of a difference at least this large if
    neither model were better.
    """

    both_right: int
    both_wrong: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    p_value: float

    @property
    def difference(self) -> float:
        """The first model's accuracy minus the other's."""
        count = self.both_right + self.both_wrong + len(self.gained) + len(self.lost)
        return (len(self.gained) - len(self.lost)) / count if count else 0.0

    @property
    def figures(self) -> dict[str, float]:
        """The numbers alone, without the problems' ids."""
        counts = {"gained": len(self.gained), "lost": len(self.lost)}
        return {"difference": self.difference, **counts, "p_value": self.p_value}

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values, for JSON."""
        return {"difference": self.difference, **asdict(self)}


def check_problems(ids: Sequence[str], theirs: Sequence[Outcome]) -> None:
    """Raises :class:`DataError` unless the outcomes are those of these problems, in this order."""
    if len(ids) != len(theirs):
        raise DataError(
            f"one was tested on {len(ids)} problems and the other on {len(theirs)}; evaluate both on the same data"
        )
    for place, (id, their) in enumerate(zip(ids, theirs, strict=True), 1):
        if id != their.id:
            raise DataError(
                f"problem {place} is {id} for one model and {their.id} for the other; evaluate both on the same data"
            )


def compare(ours: Sequence[Outcome], theirs: Sequence[Outcome], by: Score = "answer") -> Comparison:
    """Compares the outcomes of two models on the same problems, in the same order.

    When equations are compared, problems without a gold equation do not count.
    """
    if not ours:
        raise DataError("there are no outcomes to compare")
    check_problems([our.id for our in ours], theirs)
    for place, (our, their) in enumerate(zip(ours, theirs, strict=True), 1):
        if our.gold_value != their.gold_value:
            raise DataError(
                f"problem {place}, {our.id}, has different answers for the two models; evaluate both on the same data"
            )
    right = [
        (getattr(our, f"{by}_right"), getattr(their, f"{by}_right")) for our, their in zip(ours, theirs, strict=True)
    ]
    gained = tuple(our.id for our, pair in zip(ours, right, strict=True) if pair == (True, False))
    lost = tuple(our.id for our, pair in zip(ours, right, strict=True) if pair == (False, True))
    return Comparison(
        right.count((True, True)), right.count((False, False)), gained, lost, mcnemar(len(gained), len(lost))
    )


def mcnemar(gained: int, lost: int) -> float:
    """The p-value of McNemar's exact two-sided test: a binomial test on the problems where two models differ.

    >>> mcnemar(0, 5), mcnemar(3, 3)
    (0.0625, 1.0)
    """
    from scipy import stats  # imported here, since evaluating a light folder works without SciPy

    return float(stats.binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


@dataclass(frozen=True, slots=True)
class RunsComparison:
    """Several runs of one model against several runs of another.

    Both p-values are two-sided. ``p_problems`` is that of a t-test paired by problem, over the share of runs that solve
    each: would other problems give the same result? ``p_seeds`` is that of Welch's t-test over the runs' accuracies:
    would other seeds? It is None if a side that depends on seeds has only one run.
    """

    difference: float
    p_problems: float
    p_seeds: float | None


def compare_runs(
    ours: npt.ArrayLike, theirs: npt.ArrayLike, *, margin: float = 0.0, fixed: bool = False
) -> RunsComparison:
    """Compares runs, given as ``[runs, problems]`` arrays of which problems each run solves.

    With a ``margin``, the test is whether ours are behind by less than the margin. ``fixed``: theirs does not depend on
    a seed.

    >>> found = compare_runs([[1, 1, 0, 1], [1, 1, 1, 1], [1, 1, 0, 1]], [[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 1]])
    >>> round(found.difference, 2), round(found.p_problems, 2), round(found.p_seeds, 2)
    (0.5, 0.1, 0.01)
    """
    first, second = np.asarray(ours, float), np.asarray(theirs, float)
    if first.ndim != 2 or first.shape[1:] != second.shape[1:] or not first.size or not second.size:
        raise DataError("the runs were not tested on the same problems; evaluate all on the same data")
    gains = first.mean(axis=0) - second.mean(axis=0) + margin  # [problems]
    return RunsComparison(
        float(gains.mean()) - margin,
        _p_value(gains) if len(gains) > 1 else 1.0,
        compare_figures(first.mean(axis=1) + margin, second.mean(axis=1), fixed=fixed),
    )


def compare_figures(ours: Sequence[float] | npt.NDArray[np.float64], theirs: Any, *, fixed: bool) -> float | None:
    """The p-value of Welch's t-test over one figure per run; None if there are too few runs."""
    first, second = np.asarray(ours, float), np.asarray(theirs, float)
    if fixed:
        return _p_value(first - second.mean()) if len(first) > 1 else None
    if min(len(first), len(second)) < 2:
        return None
    if max(np.ptp(first), np.ptp(second)) < _SAME:  # with zero variance there is no t statistic
        return 1.0 if np.isclose(first[0], second[0]) else 0.0
    from scipy import stats

    known = [figure for side in (first, second) for figure in (side.mean(), side.std(ddof=1), len(side))]
    return float(stats.ttest_ind_from_stats(*known, equal_var=False).pvalue)


def _p_value(differences: npt.NDArray[np.float64]) -> float:
    """The p-value of a t-test that the mean difference is zero."""
    if np.ptp(differences) < _SAME:
        return 1.0 if np.isclose(differences[0], 0) else 0.0
    from scipy import stats

    return float(stats.ttest_1samp(differences, 0.0).pvalue)
