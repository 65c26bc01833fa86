"""The engine without a cluster: one process per processor, each with the model loaded."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from queue import SimpleQueue

from treequation.distributed.plan import Part
from treequation.distributed.work import Outcome, PartSolver, Work

ATTEMPTS = 4
"""How many workers may die while solving a part before it is given up."""
_solver: PartSolver | None = None  # of a worker


def solve_here(parts: Sequence[Part], work: Work, workers: int) -> Iterator[Outcome]:
    """Solves the parts with ``workers`` processes; one that dies is replaced, and its part is solved again.

    A part that kills every worker has no outcome.
    """
    context = multiprocessing.get_context("spawn")
    # Nothing is ever sent through this pipe. When our end closes, on purpose or because this process dies, the workers
    # exit; otherwise they would wait for the next part forever.
    theirs, ours = context.Pipe(duplex=False)
    # A pool breaks as a whole when it loses a process, so each pool has only one process, and a thread that watches it.
    pools: SimpleQueue[ProcessPoolExecutor] = SimpleQueue()

    def pool() -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, context, _start_worker, (work, theirs))

    def solve(part: Part) -> Outcome | None:
        mine = pools.get()
        try:
            for _ in range(ATTEMPTS):
                try:
                    return mine.submit(_solve, part).result()
                except BrokenProcessPool:
                    mine.shutdown()
                    if ours.closed:
                        break
                    mine = pool()
            return None
        finally:
            pools.put(mine)

    for _ in range(workers):
        pools.put(pool())
    with ThreadPoolExecutor(workers) as threads:
        try:
            for done in as_completed([threads.submit(solve, part) for part in parts]):
                outcome = done.result()
                if outcome is not None:
                    yield outcome
        finally:
            ours.close()
            threads.shutdown(cancel_futures=True)
            while not pools.empty():
                pools.get().shutdown()
            theirs.close()


def _start_worker(work: Work, pipe: Connection) -> None:
    """Initialises a worker."""
    global _solver
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; let the parent decide
    threading.Thread(target=_end_with_pipe, args=(pipe,), daemon=True).start()
    _solver = PartSolver(work)


def _end_with_pipe(pipe: Connection) -> None:
    with contextlib.suppress(EOFError, OSError):
        pipe.recv_bytes()
    os._exit(1)


def _solve(part: Part) -> Outcome:
    assert _solver is not None
    return _solver(part)
