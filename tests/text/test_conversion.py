"""Conversion between number conventions keeps what the equation is worth."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, ExpressionGraph, GraphBuilder, Number, Operand, Operator
from treequation.expression.parsing import parse_infix
from treequation.text.conversion import ConversionError, convert
from treequation.text.numbers import find_numbers
from treequation.text.problem import NumberFormat, Problem

WHOLE = NumberFormat(percent="whole")
TWO = NumberFormat(fraction="two")
FORMATS = st.builds(
    NumberFormat,
    percent=st.sampled_from(["whole", "fraction"]),
    fraction=st.sampled_from(["one", "two"]),
    words=st.booleans(),
    ordinals=st.booleans(),
)
MENTIONS = [
    "20 %",
    "5%",
    "2/3",
    "2/8",
    "1/4",
    "1 1/2",
    "7",
    "three",
    "half",
    "4th",
    "twenty percent",
    "(3/4)",
    "百分之八",
    "2 and a half",
    "1/3 %",
    "12 1/2 %",
    "0/5 %",
    "½",
    "3½",
    "12½%",
    "No. 7",
]


def problem(text: str, equation: str, format: NumberFormat) -> Problem:
    return Problem("1", text, find_numbers(text, format), format=format, graph=parse_infix(equation))


@pytest.mark.parametrize(
    ("text", "equation", "old", "new", "expected"),
    [
        ("20 % of 50", "n0/100*n1", WHOLE, NumberFormat(), "n0*n1"),
        ("20 % of 50", "n0*n1/100", WHOLE, NumberFormat(), "n0*n1"),
        ("20 % off 50", "(100-n0)/100*n1", WHOLE, NumberFormat(), "(1-n0)*n1"),
        ("20 % and 5 %", "(n0+n1)/100", WHOLE, NumberFormat(), "n0+n1"),
        ("20 % more", "n0+7", WHOLE, NumberFormat(), "n0*100+7"),
        ("20 % of 50", "n1*n0", NumberFormat(), WHOLE, "n1*n0/100"),
        ("20 % off 50", "n1*(1-n0)", NumberFormat(), WHOLE, "n1*(100-n0)/100"),
        ("2/3 of 60", "n0/n1*n2", TWO, NumberFormat(), "n0*n1"),
        ("1 1/2 of 60", "(n0+n1/n2)*n3", TWO, NumberFormat(), "n0*n1"),
        ("1 1/2 of 60", "(n0*n2+n1)/n2*n3", TWO, NumberFormat(), "n0*n1"),
        ("1/4 and 1/3 of 60", "n4*(n0/n1+n0/n3)", TWO, NumberFormat(), "n2*(n0+n1)"),
        ("2/3 of 60", "n2*n0/n1", TWO, NumberFormat(), "n1*n0"),
        ("2/3 of 60", "n2/n1*n0", TWO, NumberFormat(), "n1*n0"),
        ("1/4 of 60", "n2/n1", TWO, NumberFormat(), "n1*n0"),
        ("1/4 of it is 60", "n2*n1", TWO, NumberFormat(), "n1/n0"),
        ("2/3 of 1 1/2", "n0*n1", NumberFormat(), TWO, "n0/n1*(n2+n3/n4)"),
        ("three of 60", "n1-n0", NumberFormat(), NumberFormat(words=False), "n0-3"),
        ("three of 60", "n0-3", NumberFormat(words=False), NumberFormat(), "n1-n0"),
        ("his 17th of 60", "n1-n0", NumberFormat(ordinals=True), NumberFormat(), "n0-17"),
        ("three and three of 60", "n0-3", NumberFormat(words=False), NumberFormat(), "n2-3"),  # which three?
        ("just 20 %", "n0", WHOLE, NumberFormat(), "n0*100"),
        ("12 1/2 % of 60", "(n0+n1/n2)/100*n3", NumberFormat("whole", "two"), NumberFormat(), "n0*n1"),
        ("12 1/2 % of 60", "n0*n1", NumberFormat(), TWO, "(n0+n1/n2)*n3/100"),
        ("3½ of 60", "(n0+n1)*n2", TWO, NumberFormat(), "n0*n1"),
        ("3½ of 60", "n0*n1", NumberFormat(), TWO, "(n0+n1)*n2"),
        ("1/4 of 60", "n2/(n1-n0)", TWO, NumberFormat(), "n1/(1/n0-1)"),
    ],
)
def test_conversion(text: str, equation: str, old: NumberFormat, new: NumberFormat, expected: str) -> None:
    converted = convert(problem(text, equation, old), new)
    assert converted.graph == parse_infix(expected)
    assert converted.numbers == find_numbers(text, new)
    assert converted.format == new


@pytest.mark.parametrize(
    ("text", "equation", "reason"),
    [
        ("2/3 of 60", "n2+n1", r"the denominator of 2/3 .* characters 0 to 3"),
        ("2/3 of 60", "n2*n0", r"the multiple of 2/3"),
        ("2/8 of 60", "n2/n1", r"the share of 1/4"),  # a quarter, but not one that is written 1/4
        ("1 1/2 of 60", "n2*n3", r"the denominator of 3/2"),
    ],
)
def test_a_piece_of_a_fraction_by_itself_is_refused_with_the_reason(text: str, equation: str, reason: str) -> None:
    with pytest.raises(ConversionError, match=reason):
        convert(problem(text, equation, TWO), NumberFormat())


def test_a_problem_without_an_equation_is_converted_too() -> None:
    text = "20 % of 50"
    bare = Problem("1", text, find_numbers(text, WHOLE), format=WHOLE)
    assert convert(bare, NumberFormat()).values == (Fraction(1, 5), Fraction(50))


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    text = ", ".join(draw(st.lists(st.sampled_from(MENTIONS), min_size=1, max_size=4)))
    format = draw(FORMATS)
    numbers = find_numbers(text, format)
    builder = GraphBuilder()
    operands: list[Operand] = [Number(index) for index in range(len(numbers))]
    operands += [Constant(Fraction(value)) for value in (1, 3, 100)]
    for _ in range(draw(st.integers(0, 5))):
        operator = draw(st.sampled_from([Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE]))
        operands.append(builder.add(operator, draw(st.sampled_from(operands)), draw(st.sampled_from(operands))))
    return Problem("1", text, numbers, format=format, graph=builder.graph(operands[-1]))


def value(problem: Problem) -> Fraction | float | None:
    assert isinstance(problem.graph, ExpressionGraph)
    return evaluate(problem.graph, problem.values).value.number


@given(problems(), FORMATS)
def test_the_value_stays(problem: Problem, format: NumberFormat) -> None:
    assume(value(problem) is not None)  # a division by zero may cancel out
    try:
        converted = convert(problem, format)
    except ConversionError:
        assert (problem.format.fraction, format.fraction) == ("two", "one")
        return
    assert value(converted) == value(problem)


@given(problems(), FORMATS)
def test_there_and_back_again(problem: Problem, format: NumberFormat) -> None:
    assume(value(problem) is not None and problem.format.fraction == "one")
    returned = convert(convert(problem, format), problem.format)
    assert returned.numbers == problem.numbers
    assert value(returned) == value(problem)
