"""How far a model's confidence can be trusted, and what withholding unsure answers would gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

BINS = 10
_POINTS = 15  # of a fitted curve, at most; few, so that each is the mean of many problems


@dataclass(frozen=True, slots=True)
class Bin:
    """The problems whose confidence is above ``low`` and at most ``high``."""

    low: float
    high: float
    count: int
    mean_confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Confidence against accuracy.

    ``expected_error`` is the expected calibration error: the mean gap between confidence and accuracy over ten bins of
    equal width, weighted by their problems. ``risk_at_coverage`` is the share of wrong answers among the surest tenth,
    two tenths, … all of the problems; ``risk_coverage_area`` is its mean over every coverage.
    """

    expected_error: float
    bins: tuple[Bin, ...]
    risk_at_coverage: tuple[float, ...]
    risk_coverage_area: float


def calibration(confidences: Sequence[float], right: Sequence[bool]) -> Calibration:
    """The calibration of one or more answers.

    >>> measured = calibration([0.9, 0.9, 0.6, 0.6], [True, True, True, False])
    >>> round(measured.expected_error, 3), round(measured.risk_coverage_area, 3)
    (0.1, 0.104)
    """
    confidence, correct = np.asarray(confidences, float), np.asarray(right, float)
    # A confidence of 0 belongs to the first bin.
    place = np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)
    bins = []
    for number in range(BINS):
        inside = place == number
        if inside.any():
            means = float(confidence[inside].mean()), float(correct[inside].mean())
            bins.append(Bin(number / BINS, (number + 1) / BINS, int(inside.sum()), *means))
    error = sum(b.count * abs(b.mean_confidence - b.accuracy) for b in bins) / len(confidence)
    risk = _risk(confidence, correct)
    tenths = [max(1, round(len(risk) * tenth / 10)) - 1 for tenth in range(1, 11)]
    return Calibration(error, tuple(bins), tuple(float(risk[at]) for at in tenths), float(risk.mean()))


def fit(probabilities: Sequence[float], right: Sequence[bool]) -> tuple[tuple[float, float], ...]:
    """A rising curve from a model's own probability of an answer to the share of such answers that are right.

    Answers are sorted by probability and cut into groups of equal size; neighbours whose shares would fall are merged
    (isotonic regression). Each group counts half a right and half a wrong answer extra: a hundred right answers do not
    make the next one certain. Between the points the curve is linear, and beyond them it is constant.

    >>> fit([0.2, 0.4, 0.9, 0.9], [False, True, True, True])
    ((0.2, 0.25), (0.4, 0.75), (0.9, 0.8333333333333334))
    """
    order = np.argsort(probabilities, kind="stable")
    probability, correct = np.asarray(probabilities, float)[order], np.asarray(right, float)[order]
    groups: list[_Group] = []
    for places in np.array_split(np.arange(len(order)), min(_POINTS, len(order))):
        groups.append(_Group(len(places), float(probability[places].sum()), float(correct[places].sum())))
        while len(groups) > 1 and (groups[-2].share > groups[-1].share or groups[-2].mean >= groups[-1].mean):
            groups[-2:] = [_Group(*map(sum, zip(*groups[-2:], strict=True)))]
    return tuple((group.mean, group.share) for group in groups)


class _Group(NamedTuple):
    """Answers of similar probability: how many, the sum of their probabilities, and how many of them are right."""

    size: int
    probability: float
    right: float

    @property
    def mean(self) -> float:
        return self.probability / self.size

    @property
    def share(self) -> float:
        return (self.right + 0.5) / (self.size + 1)


def _risk(confidence: np.ndarray, correct: np.ndarray) -> np.ndarray:
    """The share of wrong answers among the k surest, for every k.

    Equally sure answers have no order, so each counts as the mean of its group.
    """
    _, group = np.unique(-confidence, return_inverse=True)
    mean = np.bincount(group, weights=1 - correct) / np.bincount(group)
    wrong = mean[np.sort(group)]
    return np.cumsum(wrong) / np.arange(1, len(wrong) + 1)
