"""Other numbers in the same story: the story stays sensible."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from treequation.data.catalogue import load
from treequation.data.jsonl import read_row
from treequation.data.number_variation import vary
from treequation.expression.evaluation import evaluate
from treequation.text.problem import Problem


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    """Some of the shorter splits: they tell every kind of story that the training split tells, and are read at once."""
    read = [problem for split in ("dev", "test") for problem in load("written", split).problems]
    return [problem for problem in read if problem.graph is not None][::4]


def test_most_stories_get_other_numbers_and_their_equation_gives_the_answer(problems: list[Problem]) -> None:
    random = Random(0)
    varied = [(problem, vary(problem, random)) for problem in problems]
    assert sum(new.values != old.values for old, new in varied) > 0.5 * len(problems)
    for old, new in varied:
        assert new.graph == old.graph
        assert new.masked_text == old.masked_text
        assert [n.value for n in new.numbers] == list(new.values)
        if old.answer is not None and old.values != new.values:
            assert evaluate(new.graph, new.values).value.number == new.answer  # type: ignore[arg-type]


def test_whole_stays_whole_positive_stays_positive_and_a_share_stays_below_its_total(problems: list[Problem]) -> None:
    random = Random(1)
    for old in problems:
        new = vary(old, random)
        before, after = (evaluate(p.graph, p.values).values for p in (old, new))  # type: ignore[arg-type]
        for a, b in zip(before, after, strict=True):
            if isinstance(a.number, Fraction) and isinstance(b.number, Fraction):
                assert (a.number.denominator == 1) == (b.number.denominator == 1)
                assert (a.number > 0) == (b.number > 0)
        order = [x < y for x in old.values for y in old.values]
        assert [x < y for x in new.values for y in new.values] == order


def test_numbers_that_mean_something_and_number_words_stay() -> None:
    text = "In 2024 a train ran 24 hours a day, 365 days, with 3 crews of twenty. How many crew days?"
    problem = read_row("1", {"text": text, "equation": "365*3", "answer": 1095}).problem
    for seed in range(5):
        assert vary(problem, Random(seed)).text == text
