"""Decides which of the sampled problems to keep."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing import get_context
from typing import Any

from treequation.baselines.nearest_neighbour import NearestNeighbour
from treequation.data import jsonl
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant
from treequation.text.problem import Problem

TOO_LIKE = 0.9  # the similarity to a held-out text from which on a problem is left out


@dataclass(frozen=True)
class Judge:
    """Decides about one problem by itself."""

    constants: frozenset[Fraction]  # that equations may have though the text does not
    least: float  # probability of the equation

    def __call__(self, text: str, equation: str, log_p: float) -> tuple[str, Problem | None]:
        """What is wrong with the problem, or ``kept`` and the problem with its answer."""
        if math.exp(log_p) < self.least:
            return "unsure", None
        if "\ufffd" in text or not re.search(r"[.?!。？！…)）”\"]$", text):
            return "broken text", None
        try:
            problem = jsonl.read_row("", {"text": text, "equation": equation}).problem
        except Exception:  # noqa: BLE001 - a language model may write anything, and this is one of many
            return "broken equation", None
        if problem.graph is None or not problem.graph.expressions:
            return "no expression", None
        if any(isinstance(leaf, Constant) and leaf.value not in self.constants for leaf in problem.graph.leaves):
            return "number from nowhere", None
        value = evaluate(problem.graph, problem.values).value.number
        if not isinstance(value, Fraction) or not 0 < value < 10**9 or not _is_handy(value):
            return "odd value", None
        return "kept", Problem("", text, problem.numbers, problem.language, problem.format, problem.graph, value)


def _is_handy(value: Fraction) -> bool:
    """Whether people would give the value as an answer: few decimals, or a small denominator."""
    return value.denominator <= 60 or (10**4 * value).denominator == 1


def constants_of(problems: Iterable[Problem], least: int = 20) -> frozenset[Fraction]:
    """The constants that at least so many equations have."""
    counts = Counter(
        leaf.value for each in problems if each.graph for leaf in each.graph.leaves if isinstance(leaf, Constant)
    )
    return frozenset(value for value, count in counts.items() if count >= least)


def likeness(held_out: Sequence[Problem], problems: Sequence[Problem]) -> list[float]:
    """How similar each problem is to the most similar one that was held out."""
    return [copied.similarity for copied in NearestNeighbour(held_out).copy(problems)]


def select(
    candidates: Sequence[tuple[str, str, float]],
    judge: Judge,
    known: Iterable[str],
    held_out: Sequence[Problem],
    *,
    processes: int = 1,
) -> tuple[list[Problem], Counter[str]]:
    """The problems to keep, and how many were left out for which reason; ``known`` are the wordings of old problems."""
    counts: Counter[str] = Counter()
    seen, new = set(known), []
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        each: Any = map if processes == 1 else lambda function, *columns: pool.map(function, *columns, chunksize=500)
        for reason, problem in each(judge, *zip(*candidates, strict=True)):
            if problem is not None and problem.wording in seen:
                reason, problem = "known text", None
            if problem is None:
                counts[reason] += 1
                continue
            seen.add(problem.wording)
            new.append(problem)
        parts = [new[start : start + 5_000] for start in range(0, len(new), 5_000)]
        alike = each(likeness, [held_out] * len(parts), parts)
        similar = [value for part in alike for value in part]
    kept = [problem for problem, value in zip(new, similar, strict=True) if value < TOO_LIKE]
    counts["like a held-out text"] += len(new) - len(kept)
    counts["kept"] = len(kept)
    return kept, counts
