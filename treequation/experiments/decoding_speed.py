"""Times bulk solving with PyTorch: from problems with their numbers found to equations, on one device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from treequation.decoding.search import Equation
from treequation.errors import TreequationError
from treequation.evaluation.evaluator import load_model, score_all
from treequation.evaluation.problem_set import problem_set
from treequation.evaluation.summary import Summary
from treequation.model import TreequationModel, WordProblemModel, decode
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
    "round by round, after two rounds that do not count. "
    "Accuracy is that of the same equations; a model built from a recipe alone is untrained."
)
_WARM_UP = 2


@dataclass(frozen=True, slots=True)
class Timed:
    """A model, with the problems in its own encoding."""

    name: str
    model: WordProblemModel
    problems: tuple[Problem, ...]
    captured: CapturedSearch | None
    beam: int
    batch_size: int

    def solve(self) -> list[Equation]:
        """The likeliest equation of each problem, with its graph."""
        found = decode(
            self.model,
            self.problems,
            beam=self.beam,
            batch_size=self.batch_size,
            truncate=True,
            captured=self.captured,
        )
        equations = [hypotheses[0] for hypotheses in found]
        for equation in equations:
            _ = equation.graph  # assembled only now
        return equations


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
        problems = problem_set(data, model.config.number_format).problems
        if not problems:
            raise TreequationError(f"{data} has no problem that can be solved")
        width = beam or model.BEAM
        greedy = place == "cuda" and width == 1
        captured = CapturedSearch(model) if greedy and isinstance(model, TreequationModel) else None
        timed.append(Timed(path.resolve().name, model, problems, captured, width, batch_size))
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
        "models": [_speed(one, mine) for one, mine in zip(timed, seconds, strict=True)],
    }


def _model(path: Path, changes: Sequence[str]) -> WordProblemModel:
    if path.is_dir() or recipe_file(path).suffix != ".toml":
        return load_model(path)
    recipe = read_recipe(path, changes)
    torch.manual_seed(recipe.training.seed)
    return build_model(recipe, load_problems(recipe.data, recipe.training.seed).train)


def _speed(one: Timed, seconds: np.ndarray) -> dict[str, Any]:
    """The figures of one model."""
    count = len(one.problems)
    summary = Summary.of(score_all(one.problems, one.solve(), amounts=one.model.config.amounts))
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
    }
