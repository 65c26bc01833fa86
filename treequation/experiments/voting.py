"""Several models' answers to the same problems, and the one that they choose together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from treequation.data.reading import DataError
from treequation.evaluation.scoring import Outcome


def vote(ballots: Sequence[Sequence[Outcome]]) -> list[Outcome]:
    """Of each problem, the outcome whose value has the most confidence of all models together.

    A model without a value does not vote. The confidence of what is chosen is its share of all that the models could
    have given; of several outcomes with the value, the surest one is taken, so that an equation comes with it. A text
    that one of them has seen in training counts as seen.
    """
    if len({tuple(outcome.id for outcome in outcomes) for outcomes in ballots}) != 1:
        raise DataError("models that vote must have been asked the same problems in the same order")
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
