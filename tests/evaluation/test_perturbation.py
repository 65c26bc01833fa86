"""Changed problems: the text reads as meant, and the equation takes the same numbers, wherever they stand now."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treequation.data.synthetic import generate
from treequation.evaluation.perturbation import (
    CHANGES,
    add_distractor,
    change_names,
    change_numbers,
    remove_question,
    sentences_of,
    swap_sentences,
)
from treequation.expression.evaluation import evaluate
from treequation.expression.parsing import parse_infix
from treequation.text.numbers import find_numbers
from treequation.text.problem import NumberFormat, Problem

STORY = "Tom has 12 pens. He loses 4 on day one. He buys 1.5 times 8 more. How many pens does Tom have?"


def test_abbreviations_end_no_sentence() -> None:
    text = "the s . i . on rs . 100 is 5 sq . cm . he pays rs . 8 . how much ?"
    own = problem(text, "n0")
    assert [text[start:end] for start, end in sentences_of(own)] == [
        "the s . i . on rs . 100 is 5 sq . cm . ",
        "he pays rs . 8 . ",
        "how much ?",
    ]


def problem(text: str = STORY, equation: str = "n0 - n1 + n2*n3", language: str = "en") -> Problem:
    format = NumberFormat(words=False)
    return Problem("p", text, find_numbers(text, format), language, format, parse_infix(equation), Fraction(20))  # type: ignore[arg-type]


def value(changed: Problem) -> Fraction:
    assert changed.graph is not None
    number = evaluate(changed.graph, changed.values).value.number
    assert isinstance(number, Fraction)
    return number


def test_other_numbers_give_another_value() -> None:
    changed = change_numbers(problem(), Random(1))
    assert changed is not None
    assert changed.masked_text == problem().masked_text
    assert changed.values != problem().values
    a, b, c, d = changed.values
    assert value(changed) == a - b + c * d > 0
    assert value(changed).denominator == 1
    assert changed.answer is None
    assert [len(changed.text[n.start : n.end]) for n in changed.numbers] == [2, 1, 3, 1]


def test_other_names() -> None:
    changed = change_names(problem(), Random(0))
    assert changed is not None
    assert "Tom" not in changed.text
    new = changed.text.split()[0]
    assert changed.text == STORY.replace("Tom", new)
    assert value(changed) == 20
    lower = change_names(problem(STORY.lower()), Random(0))
    assert lower is not None
    assert lower.text == lower.text.lower() == STORY.lower().replace("tom", lower.text.split()[0])
    assert change_names(problem(STORY.replace("Tom", "The shop")), Random(0)) is None
    chinese = change_names(problem("小明有12支笔，给了小红4支，还有几支？", "n0-n1", "zh"), Random(0))
    assert chinese is not None
    assert "小明" not in chinese.text
    assert "小红" not in chinese.text


def test_swapped_sentences_keep_the_equation() -> None:
    changed = swap_sentences(problem(), Random(0))
    assert changed is not None
    assert changed.text.startswith("He loses 4 on day one. ")
    assert [str(v) for v in changed.values] == ["4", "12", "3/2", "8"]
    assert value(changed) == 20
    assert swap_sentences(problem("He has 3 and 4 pens. How many?", "n0+n1"), Random(0)) is None


def test_without_its_question() -> None:
    changed = remove_question(problem(), Random(0))
    assert changed is not None
    assert changed.text == STORY[: STORY.index("How many")]
    assert value(changed) == 20
    # A question that brings a number which the equation needs cannot be removed.
    assert remove_question(problem("He has 3 pens. How many are 4 times as many?", "n0*n1"), Random(0)) is None
    chinese = remove_question(problem("有12支笔，用去4支，还剩多少支？", "n0-n1", "zh"), Random(0))
    assert chinese is not None
    assert chinese.text == "有12支笔，用去4支，"


def test_a_distractor_moves_the_later_numbers() -> None:
    text = "He has 3 pens. How many are 4 times as many?"
    changed = add_distractor(problem(text, "n0*n1"), Random(0))
    assert changed is not None
    assert "umbrellas" in changed.text
    assert len(changed.numbers) == 3
    assert value(changed) == 12


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from(["easy", "hard"]))
def test_numbers_stand_where_they_are_said_to(seed: int, level: str) -> None:
    (original,) = generate(1, seed=seed, level=level, language="both")
    for name, change in CHANGES.items():
        changed = change(original, Random(seed))
        if changed is None:
            continue
        spans = [(number.start, number.end) for number in changed.numbers]
        assert spans == sorted(spans)
        assert all(0 <= start < end <= len(changed.text) for start, end in spans)
        assert changed.graph is not None
        assert evaluate(changed.graph, changed.values).value.defined
        if name != "changed numbers":
            assert value(changed) == value(original)


def test_the_same_draw_gives_the_same_problem() -> None:
    for change in CHANGES.values():
        assert change(problem(), Random("a")) == change(problem(), Random("a"))


@pytest.mark.parametrize("change", list(CHANGES.values()))
def test_a_problem_without_an_equation_is_left_alone(change: object) -> None:
    bare = Problem("p", STORY, find_numbers(STORY))
    assert change(bare, Random(0)) is None  # type: ignore[operator]
