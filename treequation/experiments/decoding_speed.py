"""Times bulk solving with PyTorch: from problems with their numbers found to equations, on one device."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.attention import sdpa_kernel

from treequation.errors import TreequationError
from treequation.evaluation.evaluator import load_model, score_all
from treequation.evaluation.problem_set import ProblemSet, problem_set
from treequation.evaluation.summary import Summary
from treequation.model import TreequationModel, WordProblemModel, decode, greedy
from treequation.model.batch_decoding import ATTENTION, batches
from treequation.model.captured import CapturedSearch
from treequation.text.problem import Problem
from treequation.timing import in_turn
from treequation.training.environment import hardware
from treequation.training.processes import choose_device
from treequation.training.recipe import read_recipe, recipe_file
from treequation.training.sources import build_model, load_problems

METHOD = (
    "A time is wall-clock time for all problems together, from problems whose numbers have been found to their "
    "equations: tokens, padding, transfer, encoder, decoder, and the graph of every equation. The models take turns, "
    "round by round, after two rounds that do not count. The parts are timed separately (the median of the same number "
    "of rounds). They do not add up, because the host prepares one batch and reads another while the device computes. "
    "Accuracy is that of the same equations; a model built from a recipe alone is untrained."
)
_WARM_UP = 2


@dataclass(frozen=True, slots=True)
class Timed:
    """A model, with the problems in its own encoding."""

    name: str
    model: WordProblemModel
    test_set: ProblemSet
    captured: CapturedSearch | None
    beam: int
    batch_size: int

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems to solve."""
        return self.test_set.problems

    def solve(self) -> list[Any]:
        """The graph of the likeliest equation of each problem."""
        found = decode(
            self.model,
            self.problems,
            beam=self.beam,
            batch_size=self.batch_size,
            truncate=True,
            captured=self.captured,
        )
        for equation, *_ in found:
            _ = equation.graph
        return [equation for equation, *_ in found]


def measure(
    paths: Sequence[Path],
    *,
    changes: Sequence[str] = (),
    data: str = "mathqa:test",
    batch_size: int = 512,
    rounds: int = 10,
    beam: int | None = None,
    bf16: bool | None = None,
    device: str | None = None,
    report: Callable[[str], None] = lambda message: None,
) -> dict[str, Any]:
    """Times run folders, model folders and recipes (with ``changes``); returns plain values for JSON.

    On CUDA it computes in bf16 by default, and captures our own decoder's search as a graph.
    """
    place = choose_device(device)
    bf16 = place == "cuda" if bf16 is None else bf16
    timed = []
    for path in paths:
        model = _model(path, changes)
        model.to(place).to(torch.bfloat16 if bf16 else torch.float32)  # type: ignore[arg-type]
        test_set = problem_set(data, model.config.number_format)
        if not test_set.problems:
            raise TreequationError(f"{data} has no problem that can be solved")
        asked = beam or model.BEAM
        may = place == "cuda" and asked == 1
        captured = CapturedSearch(model) if may and isinstance(model, TreequationModel) else None
        timed.append(Timed(path.resolve().name, model, test_set, captured, asked, batch_size))
    report(f"timing {rounds} rounds of {len(timed[0].problems):,} problems on {place}")
    seconds = in_turn([lambda _, one=one: one.solve() for one in timed], [[0]] * rounds, warm_up=_WARM_UP)  # type: ignore[misc]
    return {
        "data": data,
        "problems": len(timed[0].problems),
        "batch_size": batch_size,
        "rounds": rounds,
        "precision": "bf16" if bf16 else "fp32",
        "method": METHOD,
        "hardware": hardware(place),
        "models": [_speed(one, mine, rounds) for one, mine in zip(timed, seconds, strict=True)],
    }


def _model(path: Path, changes: Sequence[str]) -> WordProblemModel:
    if path.is_dir() or recipe_file(path).suffix != ".toml":
        return load_model(path)
    recipe = read_recipe(path, changes)
    torch.manual_seed(recipe.training.seed)
    return build_model(recipe, load_problems(recipe.data, recipe.training.seed).train)


def _speed(one: Timed, seconds: np.ndarray, rounds: int) -> dict[str, Any]:
    """The figures of one model; parts that cannot be timed separately are None."""
    count = len(one.problems)
    encoder = one.model.problem_encoder
    device, assembling = _device_and_assembling(one, rounds)
    equations = {place: found for place, found in enumerate(one.solve()) if place not in one.test_set.refused}
    amounts = one.model.config.amounts
    summary = Summary.of(score_all(one.problems, equations, one.test_set.refused, amounts=amounts))
    return {
        "name": one.name,
        "decoder": one.model.DECODER,
        "beam": one.beam,
        "graphs": one.captured is not None,
        "answer_accuracy": summary.answer_accuracy,
        "mean_steps": summary.mean_steps,
        "median_per_second": count / float(np.median(seconds)),
        "min_per_second": count / float(seconds.max()),
        "max_per_second": count / float(seconds.min()),
        "whole_ms": float(np.median(seconds)) * 1e3,
        "tokenising_ms": _milliseconds(lambda: encoder.ids(one.problems, truncate=True), rounds),
        "device_ms": device,
        "assembling_ms": assembling,
    }


def _device_and_assembling(one: Timed, rounds: int) -> tuple[float | None, float | None]:
    """Milliseconds on the device, with the input already there, and on the host afterwards."""
    model = one.model
    if one.beam > 1 or not isinstance(model, TreequationModel) or model.device.type == "cpu":
        return None, None
    search = one.captured or partial(greedy.search, model)
    with torch.inference_mode(), sdpa_kernel(ATTENTION):
        inputs = [
            (greedy.search_input(batch, reader), reader)
            for _, batch, reader in batches(
                model, one.problems, one.batch_size, truncate=True, filled=one.captured is not None
            )
        ]

        def compute() -> list[greedy.SearchOutput]:
            outcomes = [search(given, model.max_steps, reader.divisions) for given, reader in inputs]
            torch.cuda.synchronize()
            return outcomes

        device = _milliseconds(compute, rounds)
        on_host = [
            (greedy.copy_to_host(search(given, model.max_steps, reader.divisions))(), reader)
            for given, reader in inputs
        ]

    def assemble() -> None:
        for outcome, reader in on_host:
            for decoded in greedy.read(outcome, reader):
                _ = decoded.graph

    return device, _milliseconds(assemble, rounds)


def _milliseconds(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return float(np.median(times)) * 1e3
