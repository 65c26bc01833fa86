"""What the outcomes of a test set say in sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treequation.evaluation.scoring import Outcome


@dataclass(frozen=True, slots=True)
class Summary:
    """Shares of right problems, and the mean of the layers decoded."""

    count: int
    answer_accuracy: float
    equation_accuracy: float
    literature_accuracy: float
    mean_steps: float

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Summary:
        """The summary of at least one outcome."""
        count = len(outcomes)
        if not count:
            raise ValueError("there are no outcomes to summarise")
        return cls(
            count,
            sum(o.answer_right for o in outcomes) / count,
            sum(o.equation_right for o in outcomes) / count,
            sum(o.literature_right for o in outcomes) / count,
            sum(o.steps for o in outcomes) / count,
        )
