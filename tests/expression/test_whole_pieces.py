"""The remainder, and division rounded up or down: what they are, and how they are written, read and told."""

from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import assume, given

from tests.expression.strategies import fractions
from treequation.data.labels import LabelError, Labeller
from treequation.expression.equality import equal_up_to_algebra
from treequation.expression.evaluation import Value, calculate, evaluate
from treequation.expression.graph import PAPER_OPERATORS, Operator
from treequation.expression.notations import to_prefix
from treequation.expression.parsing import EquationError, parse_infix
from treequation.expression.printing import to_infix, to_latex
from treequation.expression.words import steps_in_words
from treequation.text.number_vocabulary import Vocabulary


def exact(operator: Operator, a: Fraction, b: Fraction) -> Fraction:
    number = calculate(operator, Value(a), Value(b)).number
    assert isinstance(number, Fraction)
    return number


@given(fractions, fractions)
def test_of_any_two_numbers_they_are_exact_and_belong_together(a: Fraction, b: Fraction) -> None:
    assume(b)
    remainder, up, down = (exact(o, a, b) for o in (Operator.REMAINDER, Operator.ROUND_UP, Operator.ROUND_DOWN))
    assert a == b * down + remainder
    assert 0 <= remainder < b or b < remainder <= 0
    assert up.denominator == down.denominator == 1
    assert a / b <= up < a / b + 1
    assert down == -exact(Operator.ROUND_UP, -a, b)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("ceil((34+9)/16)*85", 255),
        ("ceil(96/8)", 12),
        ("(ceil(33/10)-1)*29.9", Fraction("89.7")),
        ("8-mod(205,8)", 3),
        ("mod(7.5, 2)", Fraction(3, 2)),
        ("mod(-7,3)", 2),
        ("mod(7,-3)", -2),
        ("10 mod 3", 1),
        ("2*10 mod 3 + 1", 3),
        ("10 mod (1/4)", 0),
        ("mod（10，3）", 1),
        ("floor(26/1.8)", 14),
        ("floor(-7/2)", -4),
        ("ceil(-7/2)", -3),
        ("⌈95 ÷ 14⌉ + ⌊95 ÷ 14⌋", 13),
        ("ceil(3.2)", 4),
        ("ceil(5*2.5)", 13),
        ("ceil((1/2)/(1/3))", 2),
        ("mod(2, 0)", None),
        ("ceil(2/0)", None),
        ("floor(2/(1-1))", None),
    ],
)
def test_as_equations_have_them(text: str, value: Fraction | None) -> None:
    graph = parse_infix(text)
    assert evaluate(graph, []).value.number == value
    for symbols in ("ascii", "unicode"):
        assert parse_infix(to_infix(graph, symbols=symbols)) == graph  # type: ignore[arg-type]


def test_a_root_that_ought_to_be_whole_is_not_rounded_away_from_it() -> None:
    two = "2^0.5*2^0.5"  # a little more than 2 in floats
    assert [evaluate(parse_infix(f"{f}({two}/2)"), []).value.number for f in ("ceil", "floor")] == [1, 1]
    assert evaluate(parse_infix(f"mod({two},2)"), []).value.number == 0
    assert str(evaluate(parse_infix("ceil(2^0.5/1)"), []).value) == "≈2"


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("ceil 3", 5, "opening bracket is missing"),
        ("2*mod", 5, "opening bracket is missing"),
        ("mod(3)", 5, "two operands"),
        ("mod(1/2)", 3, "two operands"),
        ("mod(1,2,3)", 7, "comma is only allowed"),
        ("ceil(1,2)", 6, "comma is only allowed"),
        ("1,2", 1, "comma is only allowed"),
        ("⌈3/2)", 4, "'⌉' is expected"),
        ("ceil(3/2", 4, "never closed"),
        ("3 ceil(2)", 2, "operator is missing"),
    ],
)
def test_a_mistake_is_named_and_pointed_at(text: str, position: int, message: str) -> None:
    with pytest.raises(EquationError, match=message) as caught:
        parse_infix(text)
    assert caught.value.position == position


def test_what_people_and_programs_read() -> None:
    graph = parse_infix("n2*ceil((n0+1)/n1)-mod(n0*2,n1)")
    assert to_infix(graph) == "n2*ceil((n0+1)/n1)-mod(n0*2,n1)"
    assert to_infix(graph, symbols="unicode") == "n2 × ⌈(n0 + 1) ÷ n1⌉ − ((n0 × 2) mod n1)"
    assert to_latex(graph) == (
        r"n_{2} \times \left\lceil\frac{n_{0} + 1}{n_{1}}\right\rceil"
        r" - \left(\left(n_{0} \times 2\right) \bmod n_{1}\right)"
    )
    assert to_prefix(graph) == "- * n2 ceil + n0 1 n1 mod * n0 2 n1"


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("ceil(n0/n1)", "en", "1. Divide 95 by 14 and round up: 95 ÷ 14 ≈ 6.79, rounded up to 7."),
        ("floor(n0/n1)", "en", "1. Divide 95 by 14 and round down: 95 ÷ 14 ≈ 6.79, rounded down to 6."),
        ("mod(n0,n1)", "en", "1. Divide 95 by 14 and keep the remainder: 95 ÷ 14 = 6, remainder 11."),
        ("ceil(n0/n1)", "zh", "1. 95 除以 14，向上取整：95 ÷ 14 ≈ 6.79，向上取整得 7。"),
        ("floor(n0/n1)", "zh", "1. 95 除以 14，向下取整：95 ÷ 14 ≈ 6.79，向下取整得 6。"),
        ("mod(n0,n1)", "zh", "1. 95 除以 14，取余数：95 ÷ 14 = 6 余 11。"),
        ("ceil(n0/5)", "en", "1. Divide 95 by 5 and round up: 95 ÷ 5 = 19."),
        ("ceil(-1/n0)", "en", "1. Divide -1 by 95 and round up: (-1) ÷ 95 ≈ -0.01, rounded up to 0."),
        ("ceil(1/997)", "en", "1. Divide 1 by 997 and round up: 1 ÷ 997 = 1/997, rounded up to 1."),
        ("mod(n0,0)", "en", "1. Divide 95 by 0 and keep the remainder: 95 mod 0 has no value."),
        ("ceil(n0/0)", "zh", "1. 95 除以 0，向上取整：⌈95 ÷ 0⌉ 没有值。"),
    ],
)
def test_steps(text: str, language: Literal["en", "zh"], expected: str) -> None:
    assert steps_in_words(parse_infix(text), [95, 14], language) == [expected]


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ("ceil((n0+n1)/n2)", "ceil((n1+n0)/n2)", True),
        ("ceil(2*n0/(2*n1))", "ceil(n0/n1)", True),
        ("mod(n0,n1)", "n0-n1*floor(n0/n1)", True),
        ("(n0-mod(n0,n1))/n1", "floor(n0/n1)", True),
        ("ceil(n0/n1)", "0-floor((0-n0)/n1)", True),
        ("floor(7/2)*n0", "3*n0", True),
        ("ceil(6*n0/(2*n0))", "3", True),
        ("mod(n0-n0,n1)", "0", True),
        ("ceil(n0/n1)", "floor(n0/n1)", False),
        ("ceil(n0/n1)", "n0/n1", False),
        ("mod(n0,n1)", "mod(n1,n0)", False),
        ("ceil(n0/n1)*n2", "ceil(n0*n2/n1)", False),
    ],
)
def test_equality(a: str, b: str, equal: bool) -> None:
    assert equal_up_to_algebra(parse_infix(a), parse_infix(b)) is equal


def test_a_model_knows_them_only_if_its_equations_do() -> None:
    old = [parse_infix("n0+n1")] * 2
    assert Vocabulary(()).operators == Vocabulary.of(old).operators == PAPER_OPERATORS
    assert tuple(o.value for o in PAPER_OPERATORS) == ("+", "-", "*", "/", "^")  # ids of saved models
    some = [*old, parse_infix("ceil(n0/n1)"), parse_infix("ceil(n1/n0)"), parse_infix("mod(n0,n1)")]
    assert Vocabulary.of(some).operators == (*PAPER_OPERATORS, Operator.ROUND_UP)
    with pytest.raises(LabelError, match="ceil is not in the model's vocabulary") as caught:
        Labeller(Vocabulary(()), queries=2, steps=2).label(parse_infix("ceil(n0/n1)"))
    assert caught.value.reason == "unknown operator"
