"""Compares two models on the same problems, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from treequation.data.reading import DataError
from treequation.evaluation.scoring import Outcome

Score = Literal["answer", "equation", "literature"]


class DifferentProblemsError(DataError):
    """Two lists of outcomes are not about the same problems."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How often each of two models is right, problem by problem.

    ``gained`` are the ids of the problems that only the first model solves, ``lost`` those that only the other does.
    ``p_value`` is McNemar's exact test, two-sided: the chance of a difference at least as large as this one if
    neither model were better.
    """

    both_right: int
    both_wrong: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    p_value: float

    @property
    def difference(self) -> float:
        """By how much the first model's accuracy is above the other's."""
        count = self.both_right + self.both_wrong + len(self.gained) + len(self.lost)
        return (len(self.gained) - len(self.lost)) / count

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        return {"difference": self.difference, **asdict(self)}


def compare(ours: Sequence[Outcome], theirs: Sequence[Outcome], by: Score = "answer") -> Comparison:
    """Compares two models' outcomes of the same problems in the same order."""
    if not ours:
        raise DifferentProblemsError("there are no outcomes to compare")
    if len(ours) != len(theirs):
        raise DifferentProblemsError(
            f"one model was tested on {len(ours)} problems and the other on {len(theirs)}; "
            "evaluate both on the same data"
        )
    for place, (our, their) in enumerate(zip(ours, theirs, strict=True), 1):
        if (our.id, our.gold_value) != (their.id, their.gold_value):
            raise DifferentProblemsError(
                f"problem {place} is {our.id} for one model and {their.id} for the other, or its answer differs; "
                "evaluate both on the same data"
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
    """The two-sided exact p-value of McNemar's test: a binomial test of the problems on which two models differ.

    >>> mcnemar(0, 5), mcnemar(3, 3)
    (0.0625, 1.0)
    """
    differ = gained + lost
    tail = sum(math.comb(differ, count) for count in range(min(gained, lost) + 1))
    return min(1.0, 2 * tail / 2**differ)
