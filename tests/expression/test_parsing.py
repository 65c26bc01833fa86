"""Reading infix: what is accepted, what it means, and how a mistake is reported."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, Number
from treequation.expression.parsing import EquationError, parse_infix


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x=(11-1)*2", 20),
        ("x = 3*[2+4*{5-1}]", 54),
        ("60 / 4 = X", 15),
        ("8-3-2", 3),
        ("2^3^2", 512),
        ("2**3", 8),
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2^-1", Fraction(1, 2)),
        ("+3*-4", -12),
        ("50*20%", 10),
        ("50 * 20 %", 10),
        ("2*3(1/2)", 7),
        ("4((1)/(2))", Fraction(9, 2)),
        ("1/5(1/2)", Fraction(2, 11)),
        ("(1/5)*40", 8),
        ("６×（２＋３）÷４－１", Fraction(13, 2)),
        ("12:4·.5", Fraction(3, 2)),
    ],
)
def test_an_equation_has_the_value_a_pupil_would_compute(text: str, value: Fraction) -> None:
    assert evaluate(parse_infix(text), []).value.number == value


@pytest.mark.parametrize("name", ["n2", "N2", "number2", "temp_c"])
def test_data_sets_names_of_numbers(name: str) -> None:
    assert parse_infix(name).root == Number(2)


def test_a_minus_sign_folds_into_a_constant_and_is_a_subtraction_from_zero_otherwise() -> None:
    assert parse_infix("-3").root == Constant(Fraction(-3))
    assert parse_infix("-n0") == parse_infix("0-n0")


def test_the_reader_of_a_data_set_says_which_leaf_is_which_number() -> None:
    asked = []

    def resolve(text: str) -> Number | None:
        asked.append(text)
        return {"(1/5)": Number(0), "20%": Number(1)}.get(text)

    graph = parse_infix("x=( 1/5 )*20 %+3(1/2)-(1/4)", resolve)
    assert graph == parse_infix("n0*n1+3.5-1/4")
    assert asked == ["(1/5)", "20%", "3(1/2)", "(1/4)", "1", "4"]


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "operand is missing"),
        ("2+", 2, "operand is missing"),
        ("2+*3", 2, "operand is missing"),
        ("x=", 2, "operand is missing"),
        ("()", 1, "operand is missing"),
        ("(1+2", 0, "never closed"),
        ("1+2)", 3, "never opened"),
        ("(1+2]", 4, "')' is expected"),
        ("2(3+4)", 1, "operator is missing"),
        ("1=2", 1, "unknown x alone"),
        ("x=1=2", 3, "second '='"),
        ("x=2*x", 4, "unknown x must be alone"),
        ("2*apples", 2, "not a number"),
        ("2 $ 3", 2, "not allowed in an equation"),
        ("3(1/0)", 0, "divides by zero"),
        ("1+" + "9" * 1001, 2, "1000 digits"),
        ("1" * 10_001, 10_000, "10000 characters"),
        ("+".join(["n0"] * 202), 602, "deeper than 200"),
    ],
)
def test_a_mistake_is_named_and_pointed_at(text: str, position: int, message: str) -> None:
    error = mistake(text)
    assert error is not None
    assert message in error.message
    assert error.position == position


def mistake(text: str) -> EquationError | None:
    try:
        parse_infix(text)
    except EquationError as error:
        return error
    return None


def test_too_many_expressions_are_refused() -> None:
    # A balanced sum is wide and flat, so that its length is the only bound it can break.
    def balanced(first: int, last: int) -> str:
        middle = (first + last) // 2
        return f"n{first}" if first == last else f"({balanced(first, middle)}+{balanced(middle + 1, last)})"

    assert mistake(balanced(0, 1000)) is None
    error = mistake(balanced(0, 1001))
    assert error is not None
    assert "more than 1000 expressions" in error.message


def test_the_caret_stands_under_the_mistake_also_after_full_width_characters() -> None:
    with pytest.raises(EquationError) as caught:
        parse_infix("１２＋（３")
    # Each full-width character takes two columns: the bracket is the fourth.
    assert str(caught.value).splitlines()[-2:] == ["  １２＋（３", "  " + " " * 6 + "^"]


@given(st.text(alphabet="0123456789.+-*/^()[]{}=xn%（×÷ 元\n", max_size=60) | st.text(max_size=30))
def test_any_text_is_read_or_refused_with_a_position_in_it(text: str) -> None:
    error = mistake(text)
    if error is not None:
        assert 0 <= error.position <= len(text)
        assert len(str(error).splitlines()) == 3


def test_deep_nesting_never_exhausts_the_stack() -> None:
    assert mistake("(" * 4_999 + "1" + ")" * 4_999) is None
    for text in ("(" * 9_000, "-" * 9_000 + "n0", "2^" * 4_000 + "2"):
        assert mistake(text) is not None
