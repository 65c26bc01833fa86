"""A text that only asks for an amount in another unit."""

from fractions import Fraction

import pytest

from treequation.expression.evaluation import evaluate
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem
from treequation.text.unit_conversion import _SIZES, unit_conversion
from treequation.text.units import UNITS


def value_of(text: str) -> Fraction | float | None:
    problem = Problem("", text, find_numbers(text))
    graph = unit_conversion(problem)
    return None if graph is None else evaluate(graph, problem.values).value.number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("How many ml are in 1.5 litres?", Fraction(1500)),
        ("how many grams are there in 2.4 kg", Fraction(2400)),
        ("Alexa, how many ounces are in 3 pounds?", Fraction(48)),
        ("How many cm is 3.5 m?", Fraction(350)),
        ("How many weeks is 42 days?", Fraction(6)),
        ("Convert 3 hours to minutes.", Fraction(180)),
        ("What is 5 km in cm?", Fraction(500_000)),
        ("2.5 hours in minutes", Fraction(150)),
        ("90 minutes is how many hours?", Fraction(3, 2)),
        ("three feet in inches", Fraction(36)),
        ("2 square metres in square centimetres", Fraction(20_000)),
        ("3.5千克等于多少克？", Fraction(3500)),
        ("2500克是多少千克", Fraction(5, 2)),
        ("3平方米是多少平方分米", Fraction(300)),
        ("120分钟等于几小时？", Fraction(2)),
    ],
)
def test_an_amount_in_another_unit(text: str, value: Fraction) -> None:
    assert value_of(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "5 km in miles",  # 1.6 at school, 1.609344 by law
        "How many kg are 3 boxes?",
        "How many minutes are in 3 kg?",
        "How many cm is 3 cm?",
        "How many grams are in 2 kg and 300 g?",
        "Tom runs 5 km. How many metres is that?",
        "How many days are in 3 months?",
        "3米5厘米是多少厘米？",
        "12 inches",
    ],
)
def test_anything_else_is_left_to_the_model(text: str) -> None:
    assert value_of(text) is None


def test_every_unit_is_known() -> None:
    assert UNITS.keys() >= _SIZES.keys()
