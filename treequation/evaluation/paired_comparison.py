"""Compares two models on the same problems, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from scipy.stats import binomtest

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

    @property
    def figures(self) -> dict[str, float]:
        """The numbers alone, without the problems' ids."""
        counts = {"gained": len(self.gained), "lost": len(self.lost)}
        return {"difference": self.difference, **counts, "p_value": self.p_value}

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        return {"difference": self.difference, **asdict(self)}


def check_problems(ids: Sequence[str], theirs: Sequence[Outcome]) -> None:
    """Raises :class:`DifferentProblemsError` unless the outcomes are of these problems, in this order."""
    if len(ids) != len(theirs):
        raise DifferentProblemsError(
            f"one model is tested on {len(ids)} problems and the other on {len(theirs)}; evaluate both on the same data"
        )
    for place, (id, their) in enumerate(zip(ids, theirs, strict=True), 1):
        if id != their.id:
            raise DifferentProblemsError(
                f"problem {place} is {id} for one model and {their.id} for the other; evaluate both on the same data"
            )


def compare(ours: Sequence[Outcome], theirs: Sequence[Outcome], by: Score = "answer") -> Comparison:
    """Compares two models' outcomes of the same problems in the same order."""
    if not ours:
        raise DifferentProblemsError("there are no outcomes to compare")
    check_problems([our.id for our in ours], theirs)
    for place, (our, their) in enumerate(zip(ours, theirs, strict=True), 1):
        if our.gold_value != their.gold_value:
            raise DifferentProblemsError(
                f"problem {place}, {our.id}, has another answer for the other model; evaluate both on the same data"
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
    return float(binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0
