"""The bundled model, on problems as people type them.

None of these texts is in its training data. ``everyday_independent.jsonl`` was written without knowledge of the model
or its data, and whoever writes training problems must not read it: it shows how well the model generalizes. The other
lists are older and easier. The model's accuracy is measured on ``written:test`` (docs/models/treequation-small.md).
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import treequation
from treequation import Solution, Solver
from treequation.data.catalogue import load
from treequation.runtime.solver import BUNDLED


class AnsweredProblem(NamedTuple):
    """A problem with its answer and the smallest number of steps to it."""

    text: str
    answer: Fraction
    steps: int


@cache
def solver() -> Solver:
    """The model, read once."""
    return Solver()


def listed(name: str) -> list[AnsweredProblem]:
    with (Path(__file__).parent / name).open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return [AnsweredProblem(row["problem"], Fraction(row["answer"]), int(row["steps"])) for row in rows]


def solved(problems: Sequence[AnsweredProblem]) -> dict[AnsweredProblem, bool]:
    found = solver().solve_many(problem.text for problem in problems)
    return {
        problem: isinstance(solution, Solution) and solution.answer.number == problem.answer
        for problem, solution in zip(problems, found, strict=True)
    }


@pytest.fixture(scope="module")
def right() -> dict[AnsweredProblem, bool]:
    return solved(listed("everyday.tsv"))


def test_most_everyday_problems_are_solved_in_each_language(right: dict[AnsweredProblem, bool]) -> None:
    assert len(right) >= 60
    assert sum(right.values()) >= 0.85 * len(right)
    for chinese in (False, True):
        of_language = [ok for problem, ok in right.items() if ("？" in problem.text) is chinese]
        assert sum(of_language) >= 0.8 * len(of_language)


def test_problems_with_one_step_are_solved(right: dict[AnsweredProblem, bool]) -> None:
    assert [problem.text for problem, ok in right.items() if problem.steps == 1 and not ok] == []


@pytest.mark.parametrize(("name", "count"), [("everyday_later.tsv", 40), ("everyday_latest.tsv", 60)])
def test_it_generalizes_to_problems_written_later(name: str, count: int) -> None:
    right = solved(listed(name))
    assert len(right) == count
    assert sum(right.values()) >= 0.8 * len(right)


def test_it_generalizes_to_problems_written_independently() -> None:
    lines = (Path(__file__).parent / "everyday_independent.jsonl").read_text(encoding="utf-8").splitlines()
    rows = map(json.loads, lines)  # an id begins with the number of steps
    right = solved([AnsweredProblem(row["text"], Fraction(row["answer"]), int(row["id"][0])) for row in rows])
    assert len(right) == 99
    assert sum(right.values()) >= 94
    for steps in (1, 2, 3, 4):
        of_length = [ok for problem, ok in right.items() if problem.steps == steps]
        assert sum(of_length) >= 0.85 * len(of_length)


def test_it_solves_new_kinds_of_problems_in_both_languages() -> None:
    for language, share in (("en", 0.5), ("zh", 0.5)):  # a sample of the test split, whose figures are in the card
        problems = [p for p in load(f"written-{language}", "test").problems if p.graph is not None][::18]
        found = solver().solve_many(problem.text for problem in problems)
        right = sum(
            isinstance(solution, Solution) and solution.answer.number == problem.answer
            for problem, solution in zip(problems, found, strict=True)
        )
        assert right >= share * len(problems)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("A recipe needs 2 cups of flour for 12 muffins. How many cups for 30 muffins?", 5),
        ("95 cars wait for a ferry that carries 14 cars at a time. How many crossings are needed?", 7),
        ("Mia packs 53 eggs into boxes of 6. How many eggs are left over?", 5),
        ("45个同学坐船，每条船坐4人，至少要租几条船？", 12),
    ],
)
def test_rates_rounding_and_remainders(text: str, answer: int) -> None:
    assert solver().solve(text).answer.number == answer


@pytest.mark.parametrize("text", ["What is 5 minus 8?", "Subtract 8 from 5.", "What is 5 - 8?", "五减八等于多少？"])
def test_a_spelt_out_subtraction_may_be_negative(text: str) -> None:
    solution = solver().solve(text)
    assert isinstance(solution, Solution)
    assert solution.answer.number == -3


def test_it_is_small() -> None:
    assert sum(file.stat().st_size for file in BUNDLED.rglob("*") if file.is_file()) <= 34_000_000


def test_the_pages_own_examples_are_solved_and_sure() -> None:
    """The first problems that a visitor tries must show a tree, not a failure."""
    script = Path(treequation.__file__).parent / "server" / "page" / "words.js"
    texts = re.findall(r'\["(?:en|zh)", "\w+", "([^"]+)"\]', script.read_text(encoding="utf-8"))
    found = [solution for solution in solver().solve_many(texts) if isinstance(solution, Solution)]
    assert [solution.answer.number for solution in found] == [23, 171, 22, 23, 42, 26]
    assert not any(solution.unsure for solution in found)
