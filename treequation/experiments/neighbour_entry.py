"""The nearest neighbour as an entry of a comparison, and the test problems that resemble no training text."""

from __future__ import annotations

from typing import NamedTuple

from treequation.baselines.nearest_neighbour import NearestNeighbour
from treequation.evaluation.evaluator import score_all
from treequation.evaluation.scoring import Outcome
from treequation.evaluation.summary import Summary
from treequation.experiments.comparison import Entry
from treequation.training.sources import Problems

NEAREST_NEIGHBOUR = "nearest neighbour"
UNLIKE = 0.6
"""A problem less similar than this to its nearest training text is unlike all of them; copying does not solve it."""


class Copied(NamedTuple):
    """The outcomes of the test problems, and whether each is unlike all training texts."""

    outcomes: list[Outcome]
    unlike: list[bool]


def copy_equations(problems: Problems) -> Copied:
    """Answers each test problem with the equation of its nearest training text; if that does not fit, it is wrong."""
    found = NearestNeighbour(problems.train).copy(problems.test)
    outcomes = score_all(problems.test, found, amounts=False, training_texts=problems.training_texts)
    return Copied(outcomes, [copied.similarity < UNLIKE for copied in found])


def enter_nearest_neighbour(copied: Copied) -> Entry:
    """Its entry, without weights; its steps and speed are not measured."""
    accuracies = [Summary.of(copied.outcomes).scores]
    return Entry(NEAREST_NEIGHBOUR, "nearest-neighbour", copied.outcomes, accuracies=accuracies)
