"""A worker process: loads the model, then answers line by line until the service closes the pipe.

It is a separate process, so that solving does not block the event loop and a worker that dies or hangs can be replaced.
A bug ends it with a traceback on standard error, and the service starts another.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from treequation.errors import TreequationError
from treequation.runtime.solve_error import SolveError
from treequation.runtime.solver import Solver
from treequation.server.protocol import Answer, Kind

ABOUT = ("name", "made_by", "languages", "trained_on", "max_tokens", "max_numbers")
"""The model's metadata in a greeting, besides its precision in memory and on disk."""


def main(model: str, threads: str, precision: str, max_numbers: str) -> int:
    """Serves the model in the folder ``model``; an empty name means the bundled model."""
    # Only the service ends a worker, by closing the pipe: after Ctrl-C or a SIGTERM to all processes, there may still
    # be requests to answer.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints must not get between the lines

    def send(*lines: bytes) -> None:
        answers.write(b"".join(line + b"\n" for line in lines))
        answers.flush()

    try:
        solver = limited(Solver(model or None, threads=int(threads), precision=precision), int(max_numbers))
    except (TreequationError, OSError) as error:
        send(_json({"failure": str(error)}))
        return 1
    about = solver.metadata.to_dict()
    how = {"precision": solver.model.precision, "stored_as": solver.metadata.precision}
    send(_json({"model": {key: about[key] for key in ABOUT} | how}))
    for line in requests:
        texts, kind = json.loads(line)
        results = list(solve(solver, texts, Kind(*kind)))
        send(_json([answer.code for answer in results]), *(answer.body for answer in results))
    return 0


def limited(solver: Solver, max_numbers: int) -> Solver:
    """The solver, which from now on refuses problems with more numbers."""
    metadata = solver.metadata
    solver.model.metadata = replace(metadata, max_numbers=min(metadata.max_numbers, max_numbers))
    return solver


def solve(solver: Solver, texts: Sequence[str], kind: Kind) -> Iterator[Answer]:
    """The answers, in the same JSON as on the command line."""
    solutions = solver.solve_many(texts, beam=kind.beam, with_trace=kind.trace)
    for text, solution in zip(texts, solutions, strict=True):
        if isinstance(solution, SolveError):
            yield Answer(solution.code, _json({"problem": text, "error": solution.to_dict()}))
        else:
            yield Answer(None, _json(solution.to_dict()))


def _json(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode("utf-8", errors="replace")


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except BrokenPipeError:  # the service is gone
        sys.exit(1)
