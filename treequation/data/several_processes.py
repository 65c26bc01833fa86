"""Spreads work on many problems over the processor's cores: reading them takes far longer than training starts.

The helpers are fresh interpreters that get chunks through a pipe. Forking would be unsafe once PyTorch has threads or a
GPU, and the spawning of ``multiprocessing`` would run the user's script again if it has no ``__main__`` guard.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from queue import SimpleQueue
from subprocess import PIPE, Popen
from typing import Any, TypeVar

T = TypeVar("T")
Rows = list[tuple[Any, ...]]
"""The arguments of a chunk's calls."""

_MANY = 5_000  # about a second's work; fewer are not worth starting processes
_CHUNK = 500


def each(function: Callable[..., T], *columns: Sequence[Any]) -> Iterator[T]:
    """The results of ``map(function, *columns)``, from several processes if :func:`several_processes` allows them.

    ``function`` and what it takes and returns must be picklable. What a helper cannot do is done in this process, so an
    error appears as it would here.

    >>> list(each(pow, [2, 3], [5, 2]))
    [32, 9]
    """
    helpers, rows = _helpers.get(), list(zip(*columns, strict=True))
    if helpers is None or helpers.count == 1 or len(rows) < _MANY:
        yield from (function(*row) for row in rows)
        return
    chunks = [rows[start : start + _CHUNK] for start in range(0, len(rows), _CHUNK)]
    for chunk, results in zip(chunks, helpers.each(function, chunks), strict=True):
        if results is None:
            warnings.warn("a helper process failed, so one process does the rest, which takes longer", stacklevel=2)
            results = [function(*row) for row in chunk]
        yield from results


@contextmanager
def several_processes(count: int | None = None) -> Iterator[None]:
    """Lets :func:`each` use as many processes as there are cores, or ``count``; they end with the ``with`` block."""
    helpers = _Helpers(count or _cores())
    token = _helpers.set(helpers)
    try:
        yield
    finally:
        _helpers.reset(token)
        helpers.end()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses the garbage collector: it would go through millions of new problems again and again, and find nothing."""
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


class _Helpers:
    """Processes that are started when they are first needed, each with a thread here that waits for its results."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._failed = False  # once one has failed, all rest
        self._processes: list[Popen[bytes]] = []
        self._idle: SimpleQueue[Popen[bytes]] = SimpleQueue()
        self._threads = ThreadPoolExecutor(count)

    def each(self, function: Callable[..., T], chunks: Sequence[Rows]) -> Iterator[list[T] | None]:
        """The results of each chunk, in order; None for a chunk that no helper could do."""
        if not self._processes:
            with suppress(OSError):  # out of memory or processes, or no interpreter: fewer helpers, or none
                for _ in range(self.count):
                    self._processes.append(_start())
                    self._idle.put(self._processes[-1])
        waiting: deque[Future[list[T] | None]] = deque()
        for chunk in chunks:
            waiting.append(self._threads.submit(self._ask, function, chunk))
            if len(waiting) > 4 * self.count:  # results must not pile up faster than they are used
                yield _results(waiting.popleft())
        while waiting:
            yield _results(waiting.popleft())

    def _ask(self, function: Callable[..., T], chunk: Rows) -> list[T] | None:
        if not self._processes:
            return None
        process = self._idle.get()
        try:
            if self._failed:
                return None
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(pickle.dumps((function, chunk), pickle.HIGHEST_PROTOCOL))
            process.stdin.flush()
            results: list[T] = pickle.load(process.stdout)
            return results
        except BaseException:
            self._failed = True
            raise
        finally:
            self._idle.put(process)

    def end(self) -> None:
        """Ends the processes."""
        for process in self._processes:
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            with suppress(OSError), process:  # closes its pipes, of which one may hold what was never sent
                pass


def _results(done: Future[list[T] | None]) -> list[T] | None:
    return None if done.exception() else done.result()


_helpers: ContextVar[_Helpers | None] = ContextVar("helpers", default=None)


def _start() -> Popen[bytes]:
    command = [sys.executable, "-P", "-c", f"from {__name__} import _help; _help()"]
    return Popen(command, stdin=PIPE, stdout=PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def _help() -> None:
    """What a helper does, until its input ends: with the process that started it, at the latest."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; let the parent decide
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed must not mix with the answers
    with suppress(EOFError, BrokenPipeError):
        while True:
            function, chunk = pickle.load(sys.stdin.buffer)
            answers.write(pickle.dumps([function(*row) for row in chunk], pickle.HIGHEST_PROTOCOL))
            answers.flush()
