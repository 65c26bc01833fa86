"""Makes work on many problems faster: spreads it over all cores, and pauses the garbage collector."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

_MANY = 5_000  # about a second's work; fewer are not worth starting processes
_CHUNK = 500
_count: ContextVar[int] = ContextVar("count", default=1)


def each(function: Callable[..., T], *columns: Sequence[Any]) -> Iterator[T]:
    """The results of ``map(function, *columns)``, from several processes if :func:`several_processes` allows them.

    Where processes end too early, for example for lack of memory, this one does the rest.

    >>> list(each(pow, [2, 3], [5, 2]))
    [32, 9]
    """
    rows, done = list(zip(*columns, strict=True)), 0
    if _count.get() > 1 and len(rows) >= _MANY:
        from joblib import Parallel, delayed  # only training needs it

        chunks = (rows[start : start + _CHUNK] for start in range(0, len(rows), _CHUNK))
        try:
            for results in Parallel(_count.get(), return_as="generator")(delayed(_all)(function, c) for c in chunks):
                done += len(results)
                yield from results
        except BrokenExecutor:
            warnings.warn("a helper process ended, so one process does the rest, which takes longer", stacklevel=2)
    yield from (function(*row) for row in rows[done:])


def _all(function: Callable[..., T], rows: Sequence[tuple[Any, ...]]) -> list[T]:
    return [function(*row) for row in rows]


@contextmanager
def several_processes(count: int | None = None) -> Iterator[None]:
    """Lets :func:`each` use as many processes as there are cores, or ``count``; they end with the ``with`` block."""
    token = _count.set(count or _cores())
    try:
        yield
    finally:
        if _count.get() > 1:
            from joblib.externals.loky import get_reusable_executor

            get_reusable_executor().shutdown(kill_workers=True)
        _count.reset(token)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses the garbage collector: it would go through millions of objects again and again, and find nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _cores() -> int:
    """The cores that this process may use; those that ``torchrun`` starts on one machine share them."""
    mine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, mine // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
