"""Times several ways to do the same work, in turn, so that other load on the machine affects all of them alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def evenly(items: Sequence[T], count: int) -> list[T]:
    """``count`` of the items, evenly spaced; all of them if there are no more.

    >>> evenly("abcdefg", 4)
    ['a', 'b', 'd', 'f']
    """
    return [items[place * len(items) // count] for place in range(count)] if count < len(items) else list(items)


def in_turn(
    ways: Sequence[Callable[[list[int]], object]], batches: Sequence[list[int]], *, warm_up: int, turn: int = 1
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The seconds that each way takes for each batch, ``[ways, batches]``; a batch is a list of item indices.

    A ``turn`` of several batches starts with an untimed run: the worker threads of the previous way keep spinning for
    a while, and would slow down the next one.

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
