"""Times how solving grows: problems per second against each size, the other sizes being fixed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from treequation.runtime import BATCH_SIZE
from treequation.runtime.light_engine import LightEngine, LightModel, padded
from treequation.runtime.solver import Solver
from treequation.text.encoding import EncodedProblem

METHOD = (
    "Median of 20 runs after one that does not count, wall-clock. Tokens, numbers, batch, layers and queries: encoder "
    "and decoder on a text that repeats one token, with every proposal of every query kept. Queries: copies of the "
    "model whose queries are cut or repeated; their answers mean nothing, but the work is that of a trained model. "
    "Cores: whole solves of real problems, one at a time and in bulk, median of three rounds."
)
QUERIES = (1, 2, 4, 8, 16, 32)
_USUAL = {"tokens": 40, "numbers": 3, "batch": 1, "steps": 4}
_REPEATS = 20
_ROUNDS = 3

Points = list[dict[str, float]]
"""Each has the size, milliseconds, and problems per second."""


def growth(model: LightModel) -> dict[str, Points]:
    """Median times of a batch as text length, numbers, batch size or steps grow, one at a time.

    A text repeats one token, and every proposal of every query is kept at every step, so that time depends only on the
    sizes.
    """
    steps = _steps(model)
    tried = {
        "tokens": [n for n in (16, 32, 64, 128, 256, 512) if n <= model.metadata.max_tokens],
        "numbers": [1, 2, 4, 8, 16, 32],
        "batch": [1, 2, 4, 8, 16, 32, 64],
        "steps": [n for n in (1, 2, 4, 8) if n <= steps] if model.metadata.shared_layers else range(1, steps + 1),
    }
    return {name: [_point(model, name, size, {name: size}) for size in sizes] for name, sizes in tried.items()}


def growth_of_queries(models: Iterable[tuple[int, LightModel]]) -> Points:
    """The same for models that differ only in their number of queries; each is timed before the next is taken."""
    return [_point(model, "queries", queries, {}) for queries, model in models]


def growth_of_cores(
    model: LightModel, texts: Sequence[str], cores: Iterable[int], *, batch_size: int = BATCH_SIZE
) -> Points:
    """Times of whole solves of ``texts``, one at a time and in bulk, with so many cores each."""
    points = []
    for count in cores:
        solver = Solver(model.folder, threads=count, precision=model.precision)

        def singly(solver: Solver = solver) -> None:
            for text in texts:
                list(solver.solve_many([text], beam=1))

        def in_bulk(solver: Solver = solver) -> None:
            list(solver.solve_many(texts, batch_size=batch_size, beam=1))

        one = _median_seconds(singly, _ROUNDS) / len(texts)
        bulk = len(texts) / _median_seconds(in_bulk, _ROUNDS)
        points.append({"cores": count, **_rates(one, 1), "bulk_per_second": round(bulk, 3)})
    return points


def cores_to_try(most: int) -> list[int]:
    """Numbers of cores that double, up to the largest.

    >>> cores_to_try(6)
    [1, 2, 4, 6]
    """
    return [*(count for power in range(most.bit_length()) if (count := 1 << power) < most), most]


def usual_sizes(model: LightModel) -> dict[str, int]:
    """The sizes that are kept where they do not vary."""
    proposed = _engine(model, tokens=1, numbers=1, batch=1).propose()  # [B, K, O]
    return _USUAL | {"steps": min(_USUAL["steps"], _steps(model)), "queries": proposed.operator.shape[1]}


def _steps(model: LightModel) -> int:
    """The most steps that can be timed: a Layer-Shared model may take any number."""
    return 8 if model.metadata.shared_layers else model.metadata.steps


def _point(model: LightModel, name: str, size: int, changed: dict[str, int]) -> dict[str, float]:
    sizes = _USUAL | {"steps": min(_USUAL["steps"], _steps(model))} | changed
    return {name: size, **_rates(_median_seconds(lambda: _run_steps(model, **sizes), _REPEATS), sizes["batch"])}


def _rates(seconds: float, problems: int) -> dict[str, float]:
    return {"ms": round(1e3 * seconds, 3), "per_second": round(problems / seconds, 3)}


def _median_seconds(work: Callable[[], None], repeats: int) -> float:
    """The median time after a first run that does not count."""
    seconds = []
    for _ in range(repeats + 1):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return float(np.median(seconds[1:]))


def _engine(model: LightModel, *, tokens: int, numbers: int, batch: int) -> LightEngine:
    ids = tuple([model.problem_encoder.marker] * numbers + [model.metadata.padding + 1] * (tokens - numbers))
    problem = EncodedProblem(ids[:tokens], tuple(range(numbers)))
    return LightEngine(model, padded([problem] * batch, model.metadata.padding))


def _run_steps(model: LightModel, *, tokens: int, numbers: int, batch: int, steps: int) -> None:
    engine = _engine(model, tokens=tokens, numbers=numbers, batch=batch)
    for step in range(steps):
        proposed = engine.propose()
        if step + 1 < steps:
            operator, left, right = (part.argmax(axis=-1) for part in proposed)
            engine.advance(np.arange(batch), operator, left, right, np.ones_like(operator, dtype=np.bool_))
