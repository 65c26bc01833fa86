"""Steps in words."""

from fractions import Fraction
from typing import Literal

import pytest

from treequation.expression.parsing import parse_infix
from treequation.expression.words import steps_in_words


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            "(n0+n1)/3",
            "en",
            ["1. Add 50 and 0.5: 50 + 0.5 = 50.5.", "2. Divide 50.5 by 3: 50.5 ÷ 3 = 101/6."],
        ),
        ("n0-60", "zh", ["1. 50 减 60：50 − 60 = -10。"]),
        (
            "(n0-60)^0.5*2",
            "en",
            [
                "1. Subtract 60 from 50: 50 − 60 = -10.",
                "2. Raise -10 to the power of 0.5: (-10) ^ 0.5 has no value.",
                "3. Multiply ? by 2: ? × 2 has no value.",
            ],
        ),
        ("n0^n1", "en", ["1. Raise 50 to the power of 0.5: 50 ^ 0.5 ≈ 7.071067812."]),
        ("n0", "en", ["The answer is 50."]),
        ("n0", "zh", ["答案是 50。"]),
    ],
)
def test_steps(text: str, language: Literal["en", "zh"], expected: list[str]) -> None:
    assert steps_in_words(parse_infix(text), [Fraction(50), Fraction(1, 2)], language) == expected
