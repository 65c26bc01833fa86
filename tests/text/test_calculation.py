"""A text that is a calculation by itself."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.expression.strategies import graphs
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import ExpressionGraph
from treequation.expression.printing import to_infix
from treequation.text.calculation import calculation
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem

ASKED = ("{}", "What is {}?", "what's {} ?", "{} =", "{}=?", "Calculate: {}.", "{} equals what?")
ASKED += ("{}等于多少？", "请计算{}。")
counted = st.builds(Fraction, st.integers(1, 900))


def value_of(text: str) -> Fraction | float | None:
    problem = Problem("", text, find_numbers(text))
    graph = calculation(problem)
    return None if graph is None else evaluate(graph, problem.values).value.number


@given(graphs(constants=counted), st.lists(counted, min_size=4, max_size=4), st.sampled_from(ASKED), st.booleans())
def test_a_calculation_in_a_question_has_the_value_of_the_calculation(
    graph: ExpressionGraph, values: list[Fraction], asked: str, for_people: bool
) -> None:
    assume(graph.expressions)
    written = to_infix(graph, lambda index: str(values[index]), symbols="unicode" if for_people else "ascii")
    assert value_of(asked.format(written)) == evaluate(graph, values).value.number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2^10", Fraction(1024)),
        ("12 x 8", Fraction(96)),
        ("5 - 8", Fraction(-3)),
        ("-5 + 3", Fraction(-2)),
        ("3/4 + 1/2", Fraction(5, 4)),
        ("$1,200.50 + $300", Fraction(3001, 2)),
        ("50 × 20%", Fraction(10)),
        ("（12＋8）÷5＝？", Fraction(4)),
    ],
)
def test_as_people_type_it(text: str, value: Fraction) -> None:
    assert value_of(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "2 cats and 3 dogs",
        "12",
        "What is 15% of 80?",
        "50 + 20%",  # 60 to a shopkeeper, 50.2 to a mathematician
        "9 - 3 ÷ 1/3 + 1",  # a third, or 3 by 1 by 3?
        "10:30",
        "3(1/2)",
        "3 + 4 = 7",
        "4, 8, 15",
        "2 + ",
        "x = 3 + 4",
        "3 * " * 200 + "3",  # longer than anybody types
    ],
)
def test_what_is_none_is_left_to_the_model(text: str) -> None:
    assert value_of(text) is None


def test_each_number_of_the_text_is_used_once() -> None:
    text = "3 + 3 × 3"
    graph = calculation(Problem("", text, find_numbers(text)))
    assert graph is not None
    assert to_infix(graph) == "n0+n1*n2"
    text = "2 + 1/2"  # the half is one number of the text, which the calculation has as a division
    problem = Problem("", text, find_numbers(text))
    graph = calculation(problem)
    assert graph is not None
    assert evaluate(graph, problem.values).value.number == Fraction(5, 2)
    assert to_infix(graph) == "n0+1/2"
