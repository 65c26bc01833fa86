"""Values: exact where they can be, and never an exception or a hang."""

import math
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.expression.strategies import fractions, graphs, values
from treequation.expression.evaluation import MAX_BITS, Value, calculate, evaluate, format_value
from treequation.expression.graph import Constant, ExpressionGraph, Number, Operand, Operator
from treequation.expression.notations import to_prefix
from treequation.expression.parsing import parse_infix, read_leaf


def value_of(text: str) -> Value:
    return evaluate(parse_infix(text), []).value


def value_of_tree(words: list[str], numbers: list[Fraction]) -> Fraction | None:
    """The plain recursive value of a prefix text: no graph, no sharing, whole-number powers only."""
    word = words.pop(0)
    leaf = read_leaf(word) if word not in "+-*/^" else None
    if leaf is not None:
        return leaf.value if isinstance(leaf, Constant) else numbers[leaf.index]
    left, right = value_of_tree(words, numbers), value_of_tree(words, numbers)
    if left is None or right is None or (word == "/" and right == 0):
        return None
    if word == "/":
        return left / right
    return {"+": left + right, "-": left - right, "*": left * right}[word]


@given(graphs(operators=(Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE)), values())
def test_the_graph_has_the_value_of_the_plain_tree(graph: ExpressionGraph, numbers: list[Fraction]) -> None:
    assert evaluate(graph, numbers).value.number == value_of_tree(to_prefix(graph).split(), numbers)


@given(graphs(), values())
def test_every_graph_has_a_value_or_a_reason(graph: ExpressionGraph, numbers: list[Fraction]) -> None:
    evaluation = evaluate(graph, numbers)
    assert len(evaluation.values) == len(graph)
    for value in evaluation.values:
        assert value.defined != bool(value.reason)
        assert not isinstance(value.number, float) or math.isfinite(value.number)
        assert format_value(value)


@given(st.builds(Fraction, st.integers(0, 60), st.integers(1, 60)), st.integers(2, 6), st.integers(-3, 3))
def test_a_root_that_is_rational_is_found_exactly(root: Fraction, degree: int, power: int) -> None:
    if root == 0 and power <= 0:
        return
    found = calculate(Operator.POWER, Value(root**degree), Value(Fraction(power, degree)))
    assert found.number == root**power


@given(fractions.filter(lambda base: base > 0), fractions)
def test_other_powers_are_close(base: Fraction, exponent: Fraction) -> None:
    found = calculate(Operator.POWER, Value(base), Value(exponent)).number
    assert found is not None
    assert math.isclose(float(found), float(base) ** float(exponent), rel_tol=1e-12)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("7/(2-2)", "7 ÷ 0 divides by zero"),
        ("0^-1", "0 ^ -1 divides by zero"),
        ("0^0", "0 ^ 0 has no agreed value"),
        ("(-4)^0.5", "-4 ^ 0.5 is a fractional power of a negative number"),
        ("9^9^9", "9 ^ 387420489 is too large"),
        ("(1/9)^(9^9)", "1/9 ^ 387420489 is too large"),
        ("1+5/0*2", "5 ÷ 0 divides by zero"),
        ("2^0.5*9^999", "is too large"),
        ("(2^0.5)^4000", "is too large"),
    ],
)
def test_what_has_no_value_says_why(text: str, reason: str) -> None:
    value = value_of(text)
    assert not value.defined
    assert reason in value.reason
    assert len(value.reason) < 120


def test_odd_roots_of_negative_numbers_are_negative() -> None:
    texts = ("(-8)^(1/3)", "(-8)^(2/3)", "(-1/32)^(-1/5)", "((-8)^(1/3))^2")
    assert [value_of(text).number for text in texts] == [-2, 4, -2, 4]
    assert str(value_of("(-2)^(1/3)")) == "≈-1.25992105"
    assert not value_of("(-8)^0.3").defined  # the third power of a tenth root


def test_inexact_values_make_inexact_ones() -> None:
    value = value_of("2^0.5*2^0.5")
    assert not value.exact
    assert value.number == pytest.approx(2)
    assert str(value) == "≈2"


def test_powers_of_one_and_zero_are_never_too_large() -> None:
    assert [value_of(text).number for text in ("1^(9^9)", "(-1)^(9^9)", "0^(9^9)")] == [1, -1, 0]


def test_the_largest_powers_are_kept_and_nothing_larger() -> None:
    assert value_of(f"2^{MAX_BITS - 1}").number == 2 ** (MAX_BITS - 1)
    assert not value_of(f"2^{MAX_BITS}").defined


def test_a_bomb_answers_at_once() -> None:
    start = time.process_time()
    for text in ("9^9^9^9", "((9^1000)^1000)^1000", "9^1000*9^1000", "(9^1000)^0.123"):
        value_of(text)
    assert time.process_time() - start < 1


def test_a_number_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="number 3, but there are 2"):
        evaluate(ExpressionGraph((), Number(3)), [Fraction(1), Fraction(2)])


@given(fractions)
def test_what_is_written_is_the_value(number: Fraction) -> None:
    assert Fraction(format_value(number)) == number


@pytest.mark.parametrize("operand", [Number(0), Constant(Fraction(5))])
def test_a_bare_number_has_a_value(operand: Operand) -> None:
    evaluation = evaluate(ExpressionGraph((), operand), [Fraction(5)])
    assert (evaluation.values, evaluation.value.number) == ((), 5)
