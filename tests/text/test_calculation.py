"""A text that is a calculation by itself."""

import contextlib
import re
import time
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.expression.strategies import graphs
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import ExpressionGraph
from treequation.expression.printing import to_infix
from treequation.text.calculation import CalculationError, calculation
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem

ASKED = ("{}", "What is {}?", "what's {} ?", "{} =", "{}=?", "Calculate: {}.", "{} equals what?")
ASKED += ("{}等于多少？", "请计算{}。", "{}=．", "{} = ____")
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
        ("10 mod 3", Fraction(1)),
        ("What is 10 modulo 3?", Fraction(1)),
        ("mod(10,300)", Fraction(10)),
        ("mod(1,000,7)", Fraction(6)),
        ("ceil(95/14)", Fraction(7)),
        ("⌊95 ÷ 14⌋ × 2", Fraction(12)),
        ("7!", Fraction(5040)),
        ("What is 5 factorial?", Fraction(120)),
        ("0! + 1!", Fraction(2)),
        ("(2 + 3)! / 5!", Fraction(1)),
        ("ceil(7/2)!", Fraction(24)),
        ("5的阶乘是多少？", Fraction(120)),
        ("sqrt(16)", Fraction(4)),
        ("√(9 + 16) + √4", Fraction(7)),
        ("2√9", Fraction(6)),
        ("sqrt(sqrt(16))", Fraction(2)),
        ("What is the square root of 144?", Fraction(12)),
        ("the cube root of 27", Fraction(3)),
        ("What is the cube root of -8?", Fraction(-2)),
        ("∛(-27) + √4", Fraction(-1)),
        ("144的平方根是多少？", Fraction(12)),
        ("sqrt(2)", 2**0.5),
        ("请计算2+3！", Fraction(5)),
        ("1" * 41 + " + 1", Fraction("1" * 40 + "2")),
        ("2³", Fraction(8)),
        ("½ × 8", Fraction(4)),
        ("3½ + 1/2", Fraction(4)),
        ("3 1/2 × 2", Fraction(7)),
        ("2 1/3 + 1 1/3", Fraction(11, 3)),
        ("10 000 × 2 + 1 500 000", Fraction(1_520_000)),
        ("√(3²+4²)", Fraction(5)),
        ("2 × 10⁻²", Fraction(1, 50)),
        ("6 divided by 4", Fraction(3, 2)),
        ("What is 6 times 7 plus 2 minus 5?", Fraction(39)),
        ("10除以4等于多少？", Fraction(5, 2)),
        ("负5加3等于多少？", Fraction(-2)),
        ("What is negative 5 minus negative 3?", Fraction(-2)),
        ("3(4 + 5)", Fraction(27)),
        ("（3＋4）（5＋6）＝", Fraction(77)),
        ("five plus five", Fraction(10)),
        ("What is seven times eight?", Fraction(56)),
        ("What is one plus two hundred?", Fraction(201)),
        ("ten minus half", Fraction(19, 2)),
        ("negative five plus three", Fraction(-2)),
        ("两加三等于几？", Fraction(5)),
        ("十乘以十", Fraction(100)),
        ("五萬減三萬等於多少？", Fraction(20000)),
        (r"What is $3 \times 4$?", Fraction(12)),
        (r"\(\frac{3}{4} \div \frac{1}{2}\)", Fraction(3, 2)),
        (r"$1\frac{1}{2} + \sqrt{25} \cdot 2^{3}$", Fraction(83, 2)),
        (r"$$\frac{3 + \frac{1}{2}}{7} =$$", Fraction(1, 2)),
        (r"\[5 \times \left( 3 + 4 \right)\]", Fraction(35)),
        (r"20\% \times 50", Fraction(10)),
        ("$5 + 6$", Fraction(11)),
        ("5€ + 3 €", Fraction(8)),
        ("=3+4", Fraction(7)),
        ("What is 7 squared minus 9?", Fraction(40)),
        ("three squared plus four squared", Fraction(25)),
        ("5 cubed", Fraction(125)),
        ("two to the power of ten", Fraction(1024)),
        ("2 raised to the 10th power", Fraction(1024)),
        ("8的平方加1是多少？", Fraction(65)),
        ("minus three plus five", Fraction(2)),
        ("What is minus 3 times 5?", Fraction(-15)),
        ("What is the remainder when 17 is divided by 5?", Fraction(2)),
        ("1. 3 + 4 = ?", Fraction(7)),
        ("(2) 12 × 4", Fraction(48)),
        ("What is 100 thousand minus 1?", Fraction(99_999)),
        ("6 divided by 1.5 million", Fraction(1, 250_000)),
        ("1.2万加3千等于多少？", Fraction(15_000)),
        ("12'500 + 500", Fraction(13000)),
        ("12\u00a0500 × 2", Fraction(25000)),
    ],
)
def test_as_people_type_it(text: str, value: Fraction | float) -> None:
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
        "2 1/2 ÷ 1/2",
        "3(1/2)",
        "6 ÷ 2(1 + 2)",
        "10 mod 3(4 + 5)",
        "three (3)",
        "4, 8, 15",
        "1, -2, 4, -8",
        "3 + □ = 7",
        "3 + ( ) = 7",
        "? + 3 = 7",
        "3 + x = 7",
        "x = 3 + 4",
        "3 * " * 200 + "3",  # longer than anybody types
        "Tom has 5! He gets 3 more. What is the sum?",
        "What is 5 min + 20 min?",
        "30 sec (2) + 5",
        "5 logs + 3 logs",
        "The square root of a tree is 3 m long and 2 m wide.",
        "There are 7 apples on floor (2) and 5 on floor (3).",
        "10 mod cons at $3 each",
        "two dozen minus three",
        "twice 5 + 3",
        "Is two plus two four?",
    ],
)
def test_what_is_none_is_left_to_the_model(text: str) -> None:
    assert value_of(text) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sin(30)", "the function sin is not supported"),
        ("What is log(100) + 2?", "the function log is not supported"),
        ("ln 5", "the function ln is not supported"),
        ("max(3, 4)", "the function max is not supported"),
        ("2 * pi", "3.14"),
        ("3π =", "3.14"),
        ("10 % 3", "write 10 mod 3, or 10% × 3"),
        ("2.5!", "whole number from 0 to 100"),
        ("(2 - 5)!", "whole number from 0 to 100"),
        ("101!", "whole number from 0 to 100"),
        ("mod(10)", "two operands"),
        ("sqrt(2", "cannot be read"),
        ("√", "cannot be read"),
        ("2 + ", "an operand is missing here"),
        ("3 + 4 +", "an operand is missing here"),
        ("3!!", "can be read in two ways"),
        ("3 + 4 = 7", "nothing is asked"),
        ("Is 3 + 4 = 7?", "nothing is asked"),
        ("Does 3 + 4 equal 7?", "nothing is asked"),
        ("3加4等于7吗？", "nothing is asked"),
        ("Does three plus four equal seven?", "nothing is asked"),
    ],
)
def test_what_is_a_calculation_that_cannot_be_done_says_why(text: str, message: str) -> None:
    with pytest.raises(CalculationError, match=re.escape(message)):
        value_of(text)


@given(st.text(alphabet="0123456789.+-*/^()[]√∛!⌈⌉,%π元 x", max_size=40) | st.text(max_size=40))
def test_any_text_is_calculated_or_refused_or_left_to_the_model(text: str) -> None:
    found: Fraction | float | None = None
    with contextlib.suppress(CalculationError):
        found = value_of(text)
    assert found is None or isinstance(found, Fraction | float)


@pytest.mark.parametrize("text", ["π" * 490, "sin(" * 120, "log10" * 90, "(" * 499, "√" * 499, "1!" * 240, "mod" * 160])
def test_no_text_takes_long(text: str) -> None:
    start = time.process_time()
    with contextlib.suppress(CalculationError):
        value_of(text)
    assert time.process_time() - start < 1


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
