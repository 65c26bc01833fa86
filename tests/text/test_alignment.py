"""Numbers of two readings of one text meet where they overlap and agree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from treequation.text.alignment import match_spans, overlaps
from treequation.text.language import language_of
from treequation.text.numbers import find_numbers
from treequation.text.problem import NumberFormat

TEXTS = st.lists(st.sampled_from(["5 %", "2/3", "1 1/2", "7", "three", "3rd", "x", "，三个"])).map(" ".join)
ONE, TWO = NumberFormat(), NumberFormat(percent="whole", fraction="two", ordinals=True)


@given(TEXTS)
def test_a_reading_matches_itself(text: str) -> None:
    numbers = find_numbers(text)
    assert match_spans(numbers, numbers) == list(range(len(numbers)))


@given(TEXTS)
def test_matches_are_the_overlaps_of_equal_value(text: str) -> None:
    one, two = find_numbers(text, ONE), find_numbers(text, TWO)
    every_pair = [(i, j) for i, a in enumerate(one) for j, b in enumerate(two) if a.start < b.end and b.start < a.end]
    assert list(overlaps(one, two)) == every_pair
    for i, j in enumerate(match_spans(one, two)):
        equal = [k for first, k in every_pair if first == i and two[k].value == one[i].value]
        assert j == (equal[0] if equal else None)


def test_language() -> None:
    assert language_of("") == "en"
    assert language_of("5 + 3 = ?") == "en"
    assert language_of("Tom 有 3 个苹果") == "zh"
