"""How sure an answer is: the model's probability, calibrated by how often such answers were right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def confidence(likelihood: float, calibration: Sequence[tuple[float, float]]) -> float:
    """The chance that an answer of this likelihood is right.

    ``calibration`` has pairs of a probability and the share of such answers that are right; values between them are
    interpolated. Without calibration, the confidence is the probability itself.

    >>> confidence(0.75, [(0.0, 0.0), (0.5, 0.2), (1.0, 0.8)]), confidence(1.1, [])
    (0.5, 1.0)
    """
    probability = min(likelihood, 1.0)
    if not calibration:
        return probability
    given, right = zip(*calibration, strict=True)
    return float(np.interp(probability, given, right))
