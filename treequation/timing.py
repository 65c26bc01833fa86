"""Times several ways to do the same work against each other: in turn, so that all meet whatever else a machine does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def in_turn(
    contestants: Sequence[Callable[[list[int]], object]], batches: Sequence[list[int]], *, warm_up: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Seconds of each contestant for each batch, which is a list of numbers that say what to work on.

    >>> in_turn([lambda batch: sum(batch), lambda batch: max(batch)], [[1, 2], [3]], warm_up=1).shape
    (2, 2)
    """
    for batch in batches[:warm_up]:
        for contestant in contestants:
            contestant(batch)
    seconds = np.zeros((len(contestants), len(batches)))
    for place, batch in enumerate(batches):
        for which, contestant in enumerate(contestants):
            started = time.perf_counter()
            contestant(batch)
            seconds[which, place] = time.perf_counter() - started
    return seconds
