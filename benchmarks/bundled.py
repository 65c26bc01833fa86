"""Measures a light model: accuracy by data set, by steps and by kind of problem, and the calibration of its confidence.

    python benchmarks/bundled.py [--model FOLDER] [--output benchmarks/results/bundled-model.json]

An answer is right if it is the value of the gold equation, ±1e-4. Every problem counts, also those without an answer.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from treequation import Solution, Solver
from treequation.data import written
from treequation.data.catalogue import load
from treequation.evaluation.calibration import calibration
from treequation.expression.evaluation import evaluate

SETS = {
    "written:test, English": ("written-en", None),
    "written:test, Chinese": ("written-zh", None),
    "svamp:test": ("svamp", None),
    "asdiv:test, fold 0": ("asdiv", 0),
    "mawps:test, fold 0": ("mawps", 0),
    "math23k:test": ("math23k", None),
    "mathqa:test": ("mathqa", None),
}
INDEPENDENT = Path(__file__).parents[1] / "tests" / "runtime" / "everyday_independent.jsonl"


class Question(NamedTuple):
    """A problem with its answer, the number of steps of its equation, and its theme if it is a written one."""

    text: str
    answer: Fraction | float
    steps: int
    theme: str = ""


def questions(name: str, fold: int | None) -> list[Question]:
    """The test problems of a data set that have an equation with a value."""
    found = []
    for problem in load(name, "test", fold=fold).problems:
        value = evaluate(problem.graph, problem.values).value.number if problem.graph else None
        if problem.graph is not None and value is not None:
            theme = written.theme_of(problem) if name.startswith("written") else ""
            found.append(Question(problem.text, value, len(problem.graph), theme))
    return found


def score(solver: Solver, asked: Sequence[Question]) -> dict[str, Any]:
    """Accuracy overall and by steps, and calibration."""
    by_steps: dict[str, list[bool]] = defaultdict(list)
    by_theme: dict[str, list[bool]] = defaultdict(list)
    answered: list[tuple[float, bool]] = []
    for question, found in zip(asked, solver.solve_many(q.text for q in asked), strict=True):
        right = isinstance(found, Solution) and close(found.answer.number, question.answer)
        by_steps[str(min(question.steps, 5))].append(right)
        by_theme[question.theme].append(right)
        if isinstance(found, Solution):
            answered.append((found.confidence, right))
    every = [right for group in by_steps.values() for right in group]
    sure = [right for confidence, right in answered if confidence > 0.9]
    return {
        "problems": len(every),
        "accuracy": sum(every) / len(every),
        "by_steps": _accuracies(by_steps),
        **({} if "" in by_theme else {"by_theme": _accuracies(by_theme)}),
        "calibration_error": calibration(*zip(*answered, strict=True)).expected_error,
        "over_90_percent_sure": {"answers": len(sure), "right": sum(sure)},
    }


def _accuracies(groups: Mapping[str, Sequence[bool]]) -> dict[str, dict[str, float]]:
    return {
        name: {"problems": len(group), "accuracy": sum(group) / len(group)} for name, group in sorted(groups.items())
    }


def close(number: Fraction | float | None, gold: Fraction | float) -> bool:
    """Whether a value equals the gold one, within the literature's tolerance."""
    return number is not None and abs(float(number) - float(gold)) < 1e-4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a light model folder; by default the bundled one")
    parser.add_argument("--output", type=Path, help="write the figures here, as JSON")
    given = parser.parse_args()
    solver = Solver(given.model)
    listed = map(json.loads, INDEPENDENT.read_text(encoding="utf-8").splitlines())
    rows = [Question(row["text"], Fraction(row["answer"]), int(row["id"][0])) for row in listed]
    figures = {"99 independent problems": score(solver, rows)}
    print(f"{'99 independent problems':24} {figures['99 independent problems']['accuracy']:.3f}", flush=True)
    for title, (name, fold) in SETS.items():
        figures[title] = score(solver, questions(name, fold))
        print(f"{title:24} {figures[title]['accuracy']:.3f}", flush=True)
    if given.output:
        content = {"model": solver.metadata.name, "figures": figures}
        given.output.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
