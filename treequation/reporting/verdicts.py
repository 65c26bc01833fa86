"""Decides whether a claim holds, from the stored runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt

from treequation.evaluation.paired_comparison import compare_figures, compare_runs
from treequation.evaluation.summary import MAX_EXPRESSIONS, mean_and_std
from treequation.experiments.neighbour_entry import NEAREST_NEIGHBOUR
from treequation.experiments.run_store import StoredRun, StoredTestSet
from treequation.reporting.claims import Claim

FEWEST_SEEDS = 3
LARGEST_P = 0.05
NOT_MEASURED = "not measured"

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on a claim; figures are accuracies as shares, or steps."""

    first: tuple[float, float | None] | None = None  # mean, and standard deviation over seeds
    second: tuple[float, float | None] | None = None
    seeds: tuple[int, int] = (0, 0)
    difference: float | None = None
    p_problems: float | None = None
    p_seeds: float | None = None
    verdict: str = NOT_MEASURED


def solved(runs: Sequence[StoredRun]) -> Bools:
    """What each run solves, ``[runs, problems]``."""
    return np.array([bits(run.right) for run in runs])


def bits(text: str) -> Bools:
    """A string of zeros and ones as booleans.

    >>> bits("101").tolist()
    [True, False, True]
    """
    ones: Bools = np.frombuffer(text.encode(), np.uint8) == ord("1")
    return ones


def solved_by(chosen: Mapping[str, Sequence[StoredRun]], test_set: StoredTestSet) -> dict[str, Bools]:
    """What the runs of each variant solve, ``[runs, problems]``; the nearest neighbour counts as a single run."""
    found = {name: solved(runs) for name, runs in chosen.items() if runs}
    if test_set.nearest_neighbour is not None:
        found[NEAREST_NEIGHBOUR] = bits(test_set.nearest_neighbour)[None]
    return found


def accuracy(right: Bools) -> tuple[float, float | None]:
    """The mean accuracy of runs, given as ``[runs, problems]``, and its standard deviation over them."""
    return mean_and_std(right.mean(axis=1).tolist())


def part_of(test_set: StoredTestSet, part: str) -> Bools:
    """A mask of the problems of a shape, or with a number of expressions; all if ``part`` is empty."""
    if not part:
        return np.ones(test_set.problems, np.bool_)
    if part[0].isdigit():
        count = part.removesuffix("+") if part == f"{MAX_EXPRESSIONS}+" else part
        return np.array([own == count for own in test_set.expressions])
    return np.array([own == part[0] for own in test_set.shape])


def judge(claim: Claim, chosen: Mapping[str, Sequence[StoredRun]], test_set: StoredTestSet) -> Judged:
    """Judges a claim by the runs of each variant."""
    ours, theirs = chosen.get(claim.first, ()), chosen.get(claim.second, ())
    if claim.steps:
        return _judge_steps(ours, theirs)
    right, mask = solved_by(chosen, test_set), part_of(test_set, claim.part)
    entries = claim.first, claim.second
    first, second = (right[name][:, mask] if name in right and mask.any() else None for name in entries)
    ours_mean, theirs_mean = (None if side is None else accuracy(side) for side in (first, second))
    fixed = claim.second == NEAREST_NEIGHBOUR
    seeds = len(ours), FEWEST_SEEDS if fixed else len(theirs)
    if first is None or second is None:
        return Judged(ours_mean, theirs_mean, seeds)
    found = compare_runs(first, second, margin=claim.margin, fixed=fixed)
    verdict = _verdict(min(seeds), found.difference + claim.margin, (found.p_problems, found.p_seeds))
    return Judged(ours_mean, theirs_mean, seeds, found.difference, found.p_problems, found.p_seeds, verdict)


def _judge_steps(ours: Sequence[StoredRun], theirs: Sequence[StoredRun]) -> Judged:
    """Only the mean steps of each run are stored, so the test is over seeds alone."""
    first, second = ([run.steps["mean"] for run in runs] for runs in (ours, theirs))
    ours_mean, theirs_mean = (mean_and_std(side) if side else None for side in (first, second))
    seeds = len(first), len(second)
    if not first or not second:
        return Judged(ours_mean, theirs_mean, seeds)
    difference, p_seeds = fmean(first) - fmean(second), compare_figures(first, second, fixed=False)
    verdict = _verdict(min(seeds), -difference, (p_seeds,))
    return Judged(ours_mean, theirs_mean, seeds, difference, None, p_seeds, verdict)


def _verdict(seeds: int, ahead: float, p_values: Sequence[float | None]) -> str:
    if seeds < FEWEST_SEEDS:
        return f"undecided: {'one seed' if seeds == 1 else f'{seeds} seeds'}"
    if any(p is None or not p < LARGEST_P for p in p_values):
        return "undecided: not significant"
    return "holds" if ahead > 0 else "does not hold"
