"""Compares small language models with a light model: the same problems, one scorer, one machine.

The problems are drawn with a fixed seed. A language model with a ``share`` below 1 gets only the first of them, and
compared with ours on these.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from treequation.baselines.llm import SAMPLING_TEMPERATURE, answer_problems
from treequation.baselines.prompts import question
from treequation.data.catalogue import has_folds
from treequation.errors import TreequationError
from treequation.evaluation.paired_comparison import compare
from treequation.evaluation.problem_set import ProblemSet, problem_set
from treequation.evaluation.scoring import Outcome
from treequation.evaluation.summary import wilson
from treequation.experiments.language_model import LanguageModelRecipe, endpoint_of, prompt_model
from treequation.experiments.light_evaluation import EvaluatedLightModel
from treequation.experiments.solving_speed import machine
from treequation.runtime.solve_error import SolveError
from treequation.runtime.solver import Solver
from treequation.text.problem import Problem
from treequation.timing import evenly

METHOD = (
    "The seed decides which problems are drawn, without replacement; every model gets the same ones. An answer is "
    "right if its value is (the answer score); a number without an equation also counts, and may be rounded. A missing "
    "answer counts as wrong. Intervals are Wilson's, 95 %. The p-value is McNemar's exact test against ours on the "
    "same problems. Seconds are from the text to the answer, one problem at a time, after a warm-up; only the start "
    "of the prompt is cached. Processor seconds are summed over all cores, so they hardly depend on what else the "
    "machine does; for a language model they are its server's."
)
_WARM_UP = 3
_MEGA = 1e6


@dataclass(frozen=True, slots=True)
class Draw:
    """A number of problems to draw from a source."""

    source: str
    count: int

    @classmethod
    def read(cls, text: str) -> Draw:
        """Parses ``NAME:split=COUNT``.

        >>> Draw.read("svamp:test=200")
        Draw(source='svamp:test', count=200)
        """
        source, _, count = text.rpartition("=")
        if not source or not count.isdecimal() or not int(count):
            raise TreequationError(f"{text!r} does not say how many problems to draw; write it as svamp:test=200")
        return cls(source, int(count))


def measure(
    recipes: Sequence[LanguageModelRecipe],
    solver: Solver,
    draws: Sequence[Draw],
    *,
    seed: int = 0,
    fold: int = 0,
    timed: int = 20,
    report: Callable[[str], None] = lambda message: None,
) -> dict[str, Any]:
    """The finding as plain values. With ``timed`` 0, nothing is timed."""
    drawn, sizes = zip(*(_drawn(draw, solver, seed, fold) for draw in draws), strict=True)
    light = EvaluatedLightModel(solver)
    ours = [light.outcomes(each) for each in drawn]
    entries: list[list[dict[str, Any]]] = [[_figures(solver.metadata.name, outcomes, outcomes)] for outcomes in ours]
    for recipe in recipes:
        for each, own, found in zip(drawn, ours, entries, strict=True):
            given = each.problems[: _part(len(each.problems), recipe)]
            outcomes = prompt_model(recipe, given, report=lambda text, name=each.name: report(f"{name}: {text}"))  # type: ignore[misc]
            found.append(_figures(recipe.name, outcomes, own[: len(given)]))
    quiet = machine(0)
    if timed:
        for each, found in zip(drawn, entries, strict=True):
            report(f"{each.name}: timing")
            some = evenly(each.problems, timed)
            found[0]["seconds"] = _light_seconds(solver, [problem.text for problem in some])
            for recipe, entry in zip(recipes, found[1:], strict=True):
                entry["seconds"] = _language_model_seconds(recipe, some[: _part(len(some), recipe)])
    return {
        "method": METHOD,
        "seed": seed,
        "machine": quiet,
        "ours": {"name": solver.metadata.name, "megabytes": _megabytes(solver.model.folder)},
        "models": [_about(recipe) for recipe in recipes],
        "draws": [
            {"source": each.name, "drawn": len(each.problems), "of": size, "entries": found}
            for each, size, found in zip(drawn, sizes, entries, strict=True)
        ],
    }


def _drawn(draw: Draw, solver: Solver, seed: int, fold: int) -> tuple[ProblemSet, int]:
    """The problems that were drawn, and how many there were to draw from."""
    folded = has_folds(draw.source)
    test_set = problem_set(draw.source, solver.metadata.number_format, fold=fold if folded else None)
    count = len(test_set.problems)
    if draw.count > count:
        raise TreequationError(f"{draw.source} has only {count:,} problems; {draw.count:,} cannot be drawn")
    chosen = np.random.default_rng(seed).permutation(count)[: draw.count].tolist()
    name = f"{draw.source}, fold {fold}" if folded else draw.source
    return replace(test_set, name=name, problems=tuple(test_set.problems[index] for index in chosen)), count


def _part(count: int, recipe: LanguageModelRecipe) -> int:
    return max(1, round(count * recipe.llm.share))


def _figures(name: str, outcomes: Sequence[Outcome], ours: Sequence[Outcome]) -> dict[str, Any]:
    right = sum(outcome.answer_right for outcome in outcomes)
    against = None if outcomes is ours else compare(outcomes, ours).figures
    return {
        "name": name,
        "count": len(outcomes),
        "right": right,
        "accuracy": right / len(outcomes),
        "interval": wilson(right, len(outcomes)),
        "literature_right": sum(outcome.literature_right for outcome in outcomes),
        "no_answer": sum(not outcome.value for outcome in outcomes),
        "ours_right": sum(outcome.answer_right for outcome in ours),
        "against_ours": against,
        "seconds": None,
    }


def _light_seconds(solver: Solver, texts: Sequence[str]) -> dict[str, Any]:
    def solve(text: str) -> None:
        with suppress(SolveError):
            solver.solve(text)

    for text in texts[:_WARM_UP]:
        solve(text)
    return _timed([partial(solve, text) for text in texts], time.process_time)


def _language_model_seconds(recipe: LanguageModelRecipe, problems: Sequence[Problem]) -> dict[str, Any]:
    settings = recipe.llm
    with TemporaryDirectory() as empty:  # cached answers would take no time
        endpoint = endpoint_of(settings, Path(empty))
        # A warm-up text makes the server process the shared beginning of the prompt.
        endpoint.complete(question("1 + 1 = ?", problems[0].language, settings.prompt), max_tokens=1)
        ask_again = partial(
            answer_problems,
            endpoint,
            prompt=settings.prompt,
            samples=settings.samples,
            parallel=1,
            max_tokens=settings.max_tokens,
        )
        return _timed([partial(ask_again, [problem]) for problem in problems], _clock_of(settings.pid_file))


def _clock_of(pid_file: str) -> Callable[[], float] | None:
    """A clock of a local process's processor seconds; None if they cannot be measured."""
    if not pid_file or not Path(pid_file).is_file():
        return None
    path = Path("/proc") / Path(pid_file).read_text(encoding="utf-8").strip() / "stat"
    if not path.is_file():
        return None

    def seconds() -> float:
        fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()  # a name may have spaces
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    return seconds


def _timed(work: Sequence[Callable[[], object]], clock: Callable[[], float] | None) -> dict[str, Any]:
    seconds, processor = [], []
    for each in work:
        began, spent = time.perf_counter(), clock() if clock else 0.0
        each()
        seconds.append(time.perf_counter() - began)
        processor.append(clock() - spent if clock else 0.0)
    return {
        "problems": len(seconds),
        "median": float(np.median(seconds)),
        "min": min(seconds),
        "max": max(seconds),
        "processor": float(np.median(processor)) if clock else None,
    }


def _about(recipe: LanguageModelRecipe) -> dict[str, Any]:
    settings = recipe.llm
    return {
        "name": recipe.name,
        "model": settings.model,
        "prompt": settings.prompt,
        "prompts": {language: question("…", language, settings.prompt) for language in ("en", "zh")},
        "samples": settings.samples,
        "temperature": SAMPLING_TEMPERATURE if settings.samples > 1 else 0.0,
        "max_tokens": settings.max_tokens,
        "megabytes": settings.megabytes or None,
    }


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / _MEGA
