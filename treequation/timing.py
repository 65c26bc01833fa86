"""Times several ways to do the same work against each other: in turn, so that all meet whatever else a machine does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def evenly(items: Sequence[T], count: int) -> list[T]:
    """As many of the items, spread evenly; all of them where there are no more.

    >>> evenly("abcdefg", 4)
    ['a', 'b', 'd', 'f']
    """
    return [items[place * len(items) // count] for place in range(count)] if count < len(items) else list(items)


def in_turn(
    ways: Sequence[Callable[[list[int]], object]], batches: Sequence[list[int]], *, warm_up: int, turn: int = 1
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Seconds of each way for each batch, which is a list of numbers that say what to work on.

    A ``turn`` of more than one batch begins with one that is not timed: the threads of who was just at work spin on
    for a while, in case there is more to do, and would slow down whoever comes next.

    >>> in_turn([lambda batch: sum(batch), lambda batch: max(batch)], [[1, 2], [3]], warm_up=1).shape
    (2, 2)
    """
    for batch in batches[:warm_up]:
        for work in ways:
            work(batch)
    seconds = np.zeros((len(ways), len(batches)))
    for first in range(0, len(batches), turn):
        for which, work in enumerate(ways):
            if turn > 1:
                work(batches[first])
            for place in range(first, min(first + turn, len(batches))):
                started = time.perf_counter()
                work(batches[place])
                seconds[which, place] = time.perf_counter() - started
    return seconds
