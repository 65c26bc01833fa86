"""A vote of several models on the answers to the same problems."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from treequation.data.reading import DataError
from treequation.evaluation.scoring import Outcome


def vote(ballots: Sequence[Sequence[Outcome]]) -> list[Outcome]:
    """For each problem, the outcome whose value has the highest confidence summed over all models.

    A model without a value does not vote. The confidence of the winner is its sum divided by the number of models. Of
    several outcomes with the winning value, the most confident one is taken, to have an equation. A text that any of
    the models has seen in training counts as seen.
    """
    if len({tuple(outcome.id for outcome in outcomes) for outcomes in ballots}) != 1:
        raise DataError("models that vote must have solved the same problems in the same order")
    return [_chosen(outcomes) for outcomes in zip(*ballots, strict=True)]


def _chosen(outcomes: Sequence[Outcome]) -> Outcome:
    trust: dict[str, float] = defaultdict(float)
    for outcome in outcomes:
        if outcome.value:
            trust[outcome.value] += outcome.confidence
    flags = [outcome.seen for outcome in outcomes]
    seen = None if None in flags else any(flags)
    if not trust:
        return replace(outcomes[0], seen=seen)
    value = max(trust, key=lambda value: trust[value])
    surest = max((o for o in outcomes if o.value == value), key=lambda outcome: outcome.confidence)
    return replace(surest, confidence=trust[value] / len(outcomes), seen=seen)
