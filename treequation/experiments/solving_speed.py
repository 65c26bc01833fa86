"""Times solving fairly: everything runs in one process, in turn, on the same problems.

The lower bound is the encoder's forward pass in the same runtime. A few problems go first to the encoder alone, then to
the whole solver, then to a peer if there is one, and so on, so that other load on the machine affects all alike.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from treequation.data.batches import in_order_of_length
from treequation.runtime import BATCH_SIZE
from treequation.runtime.light_engine import padded
from treequation.runtime.solve_error import SolveError
from treequation.runtime.solver import Solver
from treequation.timing import in_turn

Peer = Callable[[Sequence[str]], None]
"""Another solver; it solves all the problems that it is given at once."""

METHOD = (
    "Encoder alone, whole solve (numbers, tokens, encoder, decoder, exact value) and peer take turns of ten problems, "
    "one at a time, after a warm-up of ten; times are wall-clock. In bulk they take turns on all problems: the encoder "
    "on batches of like length, one after the other, and `solve_many`; the best of three rounds counts. A ratio is of "
    "total times. All look once at a problem (beam 1)."
)
_WARM_UP = 10
_TURN = 10
_ROUNDS = 3


def compare(
    solver: Solver, texts: Sequence[str], *, batch_size: int = BATCH_SIZE, peer: Peer | None = None
) -> dict[str, Any]:
    """Times each of them on the problems among ``texts`` that have an answer, and gives the ratios.

    None searches twice: PyTorch's search is greedy, so a second search would only slow down our side.
    """
    model = solver.model
    solved = list(zip(texts, solver.solve_many(texts, beam=1, with_trace=True), strict=True))
    kept = [(text, found) for text, found in solved if not isinstance(found, SolveError)]
    texts = [text for text, _ in kept]
    if not texts:
        raise SolveError("no-equation", "the model answers none of the problems", "choose others, or another model")
    encoded = model.problem_encoder.encode([found.problem for _, found in kept])
    padding = model.metadata.padding
    batches = list(in_order_of_length([len(each.ids) for each in encoded], batch_size))

    def read(chosen: Sequence[int]) -> object:
        return model.start(padded([encoded[index] for index in chosen], padding))

    ways: list[Callable[[list[int]], object]] = [
        read,
        lambda chosen: [solver.solve(texts[index], beam=1) for index in chosen],
    ]
    in_bulk: list[Callable[[list[int]], object]] = [
        lambda _: [read(batch) for batch in batches],
        lambda _: list(solver.solve_many(texts, batch_size=batch_size, beam=1)),
    ]
    if peer is not None:
        ways.append(lambda chosen: peer([texts[index] for index in chosen]))
        in_bulk.append(lambda _: peer(texts))
    single = in_turn(ways, [[index] for index in range(len(texts))], warm_up=_WARM_UP, turn=_TURN)
    bulk = in_turn(in_bulk, [[]] * _ROUNDS, warm_up=1).min(axis=1)
    times = [_times(each * 1e3, len(texts) / float(whole)) for each, whole in zip(single, bulk, strict=True)]
    of_encoder, of_solve, of_peer = *times[:2], times[-1]
    tokens = [len(each.ids) for each in encoded]
    steps = [len(found.trace.steps) for _, found in kept if found.trace is not None]
    figures: dict[str, Any] = {
        "problems": len(texts),
        "mean_tokens": round(float(np.mean(tokens)), 1),
        "mean_steps": round(float(np.mean(steps)), 2),
        "encoder": of_encoder,
        "solve": of_solve,
        "solve_to_encoder": round(of_solve["mean"] / of_encoder["mean"], 3),
        "solve_to_encoder_bulk": round(of_encoder["bulk_per_second"] / of_solve["bulk_per_second"], 3),
        "bulk_to_one_at_a_time": round(of_solve["bulk_per_second"] * of_solve["mean"] / 1e3, 3),
    }
    if peer is not None:
        figures["peer"] = of_peer
        figures["faster_than_peer"] = round(of_peer["mean"] / of_solve["mean"], 2)
        figures["faster_than_peer_bulk"] = round(of_solve["bulk_per_second"] / of_peer["bulk_per_second"], 2)
    return figures


def _times(milliseconds: np.ndarray, bulk_per_second: float) -> dict[str, float]:
    """Milliseconds per problem one at a time, and problems per second in bulk."""
    p50, p99 = np.percentile(milliseconds, (50, 99))
    found = {"p50": p50, "p99": p99, "mean": milliseconds.mean(), "bulk_per_second": bulk_per_second}
    return {name: round(float(value), 6) for name, value in found.items()}


def machine(threads: int) -> dict[str, Any]:
    """What the figures were measured on."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": names[0] if names else platform.processor() or platform.machine(),
        "processors": os.cpu_count(),
        "threads": threads or "all",
        "load": [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "system": platform.system(),
        "python": platform.python_version(),
        "onnxruntime": version("onnxruntime"),
    }
