"""The verdict on a pupil's equation."""

from contextlib import suppress
from fractions import Fraction
from time import process_time

import pytest

from treequation.expression.evaluation import Value, evaluate
from treequation.expression.graph import ExpressionGraph
from treequation.expression.parsing import parse_infix
from treequation.runtime import checking
from treequation.runtime.checking import Place, Verdict, check
from treequation.runtime.pupil_equation import LONGEST
from treequation.runtime.solution import Alternative, Solution
from treequation.runtime.solve_error import SolveError, reason_in
from treequation.text.language import language_of
from treequation.text.numbers import find_numbers
from treequation.text.problem import NumberFormat, Problem

PENCILS = "Tom has 3 boxes with 12 pencils each. He gives 8 away. How many are left?"


def solved(text: str, equation: str, *, unsure: bool = False, percent: str = "fraction") -> Solution:
    """A solution as a model with this equation would give it."""
    format = NumberFormat(percent=percent)  # type: ignore[arg-type]
    problem = Problem("", text, find_numbers(text, format), language_of(text), format)
    graph = parse_infix(equation)
    others = (Alternative(Value(Fraction(44)), "3 × 12 + 8", 0.2),) if unsure else ()
    confidence = 0.4 if unsure else 0.95
    return Solution(problem, graph, evaluate(graph, problem.values), confidence, unsure, others, "model")


@pytest.mark.parametrize(
    ("text", "equation", "pupil", "verdict"),
    [
        (PENCILS, "n0*n1-n2", "3*12-8", "right"),
        (PENCILS, "n0*n1-n2", "x = 12 x 3 - 8", "right"),
        (PENCILS, "n0*n1-n2", "28 = ３×１２－８", "right"),
        (PENCILS, "n0*n1-n2", "3 × 12 − 8 = 28 pencils", "right"),
        (PENCILS, "n0*n1-n2", "3 times 12 minus 8 equals 28", "right"),
        (PENCILS, "n0*n1-n2", "3乘12减8等于27", "wrong"),
        (PENCILS, "n0*n1-n2", "-8 + 3*12", "rewritten"),
        (PENCILS, "n0*n1-n2", "(3*12*2 - 16)/2", "another-way"),  # 16 is no number of the text
        (PENCILS, "n0*n1-n2", "(3*12*2 - 8*2)/2", "rewritten"),
        (PENCILS, "n0*n1-n2", "12+12+12-8", "another-way"),
        (PENCILS, "n0*n1-n2", "30-2", "another-way"),
        (PENCILS, "n0*n1-n2", "28", "another-way"),
        (PENCILS, "n0*n1-n2", "3*12+8", "wrong"),
        ("There are 3 cats and 3 dogs. How many are there?", "n0+n1", "3+3", "right"),
        ("There are 3 cats and 3 dogs. How many are there?", "n0+n1", "2*3", "rewritten"),
        ("3 of 4 is what part?", "n0/n1", "4/3", "wrong"),
        ("He sells 3/4 of 40 apples. How many?", "n1*n0", "40*3/4", "rewritten"),
        ("He sells 3/4 of 40 apples. How many?", "n1*n0", "40*(3/4)", "right"),
        ("He sells 3/4 of 40 apples. How many?", "n1*n0", "0.75*40", "right"),
        ("He sells 1/2, then 1/4. How much in all?", "n0+n1", "1-1/4", "another-way"),
        ("A coat of $80 is 20 % off. How much is that?", "n0*n1", "80*20%", "right"),
        ("A coat of $80 is 20 % off. How much is that?", "n0*n1", "$80*20/100 = $16", "rewritten"),
        ("What percent of 80 is 12?", "n1/n0*100", "12/80 = 15%", "rewritten"),
        ("What percent of 80 is 12?", "n1/n0", "12/80*100", "right"),
        ("What percent of 80 is 12?", "n1/n0*100", "12/80*100 = 15%", "right"),
        ("What percent of 36 is 12?", "n1/n0*100", "12/36*100 = 33.3%", "right"),
        ("What percent of 36 is 12?", "n1/n0*100", "12/36*100 = 34%", "wrong"),
        ("What percent of 36 is 12?", "n1/n0*100", "12/36 = 33.3%", "rewritten"),
        ("What percent of 36 is 12?", "n1/n0*100", "12/36 = 35.0%", "wrong"),
        ("Seven cakes for 3 children: how many each?", "n0/n1", "7/3 ≈ 2", "right"),
        ("Seven cakes for 3 children: how many each?", "n0/n1", "7/3 = 2", "wrong"),
        ("Seven cakes for 3 children: how many each?", "n0/n1", "7/3 = 2.33", "right"),
        ("一支笔7元，买6支，一共多少元？", "n0*n1", "6×7＝４２元", "right"),
        ("Seven cakes for 3 children: how many each?", "n0/n1", "7 ÷ 3 = 2 1/3", "right"),
        ("Seven cakes for 3 children: how many each?", "n0/n1", "7/3 = 2又1/3", "right"),
        ("Seven cakes for 3 children: how many each?", "n0/n1", "7/3 = 2 2/3", "wrong"),
        ("Seven cakes for 3 children: how many each?", "n0/n1", "7 ÷ 3 = 2 r 1", "right"),
        ("Seven cakes for 3 children: how many each?", "n0/n1", "7 ÷ 3 = 2 r 2", "wrong"),
        ("Seven cakes for 3 children: how many each?", "n0/n1", "7 ÷ 3 = 1 remainder 4", "wrong"),
        ("17个苹果，每3个装一盒，能装几盒？", "floor(n0/n1)", "17÷3=5（盒）……2（个）", "right"),
        ("17个苹果，每3个装一盒，还剩几个？", "mod(n0,n1)", "17÷3=5余2", "right"),
        ("17个苹果，每3个装一盒，需要几盒？", "ceil(n0/n1)", "17÷3=5余2", "wrong"),
        ("He walks 2 1/2 km and 1 km. How far?", "n0+n1", "2 1/2 + 1 = 3 1/2 km", "right"),
        ("A card is 3 cm by 5 cm. What is its area?", "n0*n1", "5*3 = 15cm2", "right"),
        ("A card is 3 cm by 5 cm. What is its area?", "n0*n1", "5*3 = 15 cm^2", "right"),
        ("Two cost 1,200 and 34. How much?", "n1+n2", "1,200 + 34 = 1,234", "right"),
    ],
)
def test_verdicts(text: str, equation: str, pupil: str, verdict: str) -> None:
    assert check(solved(text, equation), pupil).verdict == verdict


@pytest.mark.parametrize(
    ("pupil", "evaluations"),
    [
        ("3*12-8", 1),
        ("3*12-8 = 28", 1),
        ("3*12-8 = 27", 1),
        ("12+12+12-8", 1),
        ("3*12+8", 2),  # the model's steps as well, to say where it is wrong
        ("3*12/4 = 2 r 1", 4),  # as a fraction, as a whole quotient and as a remainder
    ],
)
def test_an_equation_is_evaluated_once(pupil: str, evaluations: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[ExpressionGraph] = []
    monkeypatch.setattr(checking, "evaluate", lambda graph, values: counted.append(graph) or evaluate(graph, values))
    check(solved(PENCILS, "n0*n1-n2"), pupil)
    assert len(counted) == len(set(counted)) == evaluations


def test_a_percentage_that_is_read_as_20_is_also_a_fifth() -> None:
    solution = solved("A coat of $80 is 20 % off. How much is that?", "n0*n1/100", percent="whole")
    assert check(solution, "80*20%").verdict is Verdict.right
    assert check(solution, "80*0.2").verdict is Verdict.right
    assert check(solution, "80*20/100").verdict is Verdict.right


@pytest.mark.parametrize(
    ("pupil", "place", "step", "here", "there"),
    [
        ("3*12+8", Place.step, 2, "36 + 8 = 44", "36 − 8 = 28"),
        ("(3+12)*8", Place.step, 1, "3 + 12 = 15", "3 × 12 = 36"),
        ("3*(12-8)", Place.step, 1, "12 − 8 = 4", "3 × 12 = 36"),
        ("3*12", Place.end, 2, "3 × 12 = 36", "36 − 8 = 28"),
        ("12", Place.end, 1, "12", "3 × 12 = 36"),
        ("3*12-8=27", Place.result, 2, "27", "28"),
        ("12/(3-3)", Place.step, 1, "3 − 3 = 0", "3 × 12 = 36"),
    ],
)
def test_where_it_is_wrong(pupil: str, place: Place, step: int, here: str, there: str) -> None:
    checked = check(solved(PENCILS, "n0*n1-n2"), pupil)
    assert checked.verdict is Verdict.wrong
    assert checked.difference is not None
    difference = checked.difference
    assert (difference.place, difference.step, difference.pupil, difference.model) == (place, step, here, there)


def test_a_wrong_remainder_is_shown_beside_the_right_one() -> None:
    checked = check(solved("17个苹果，每3个装一盒，还剩几个？", "mod(n0,n1)"), "17÷3=5余1")
    assert checked.messages == ["不正确。", "算式正确，但得数是 5 余 2，不是 5 余 1。"]


@pytest.mark.parametrize(
    ("pupil", "written"), [("7/3 = 2,33", "2.33"), ("2,5*2", "2.5"), ("7/3 = 1.002,5", "1002.5"), ("7/3≈2,3", "2.3")]
)
def test_a_decimal_comma_is_an_error_as_in_problems(pupil: str, written: str) -> None:
    with pytest.raises(SolveError, match=f"write {written}") as error:
        check(solved("Seven cakes for 3 children: how many each?", "n0/n1"), pupil)
    assert error.value.code == "decimal-comma"


def test_numbers_that_are_not_in_the_problem_are_named() -> None:
    checked = check(solved(PENCILS, "n0*n1-n2"), "3*13-8")
    assert checked.strange == ("13",)
    assert "Not in the problem: 13." in checked.messages
    assert check(solved("A coat of $80 is 20 % off. How much is that?", "n0*n1"), "80-20").strange == ()


def test_an_unsure_model_says_so() -> None:
    unsure = solved(PENCILS, "n0*n1-n2", unsure=True)
    checked = check(unsure, "3*12+8")
    assert checked.messages == [
        "It differs from the model's equation.",
        "Step 2 differs: 36 + 8 = 44.",
        "The model has 36 − 8 = 28 there.",
        "The model itself is unsure of 3 × 12 − 8 (40 % likely), so judge for yourself.",
        "The model also considered this value.",
    ]
    assert check(unsure, "3*12-8").messages[0] == "Right."
    assert "unsure" in check(unsure, "3*12-8").messages[1]
    assert not any("unsure" in message for message in check(solved(PENCILS, "n0*n1-n2"), "3*12+8").messages)


def test_in_chinese() -> None:
    solution = solved("一支笔7元，买6支，付50元，找回多少元？", "n2-n0*n1")
    assert check(solution, "50-7+6").messages == ["不正确。", "第 1 步不同：50 − 7 = 43。", "模型在这里是 7 × 6 = 42。"]


@pytest.mark.parametrize(
    ("pupil", "message"),
    [
        ("", "there is no equation"),
        (" = ?", "there is no equation"),
        ("3*", "at its end: an operand is missing"),
        ("3*12-8 = 2 r 4", "does not end with a division"),
        ("3*12=36-8=28", "several equals signs"),
        ("3*12=36-8", "neither side"),
        ("3 boxes * 12", "at “boxes * 12”: an operator is missing"),
        ("sin(30)", "the function sin is not supported"),
        ("n9*2", "a number that the text does not have"),
        ("3*\ud800", "cannot be read at “?”"),
        ("1+" * LONGEST, "characters"),
        ("(" * 150, "cannot be read"),
    ],
)
def test_equations_that_cannot_be_read(pupil: str, message: str) -> None:
    with pytest.raises(SolveError) as error:
        check(solved(PENCILS, "n0*n1-n2"), pupil)
    assert error.value.code == "bad-equation"
    assert message in str(error.value)
    assert str(error.value).encode("utf-8")


@pytest.mark.parametrize("pupil", ["9^9^9^9", "+".join("3" * 100), "3^" * 60 + "3", "(" * 90 + "3" + ")*3" * 36, "0^0"])
def test_no_equation_takes_long(pupil: str) -> None:
    began = process_time()
    with suppress(SolveError):
        check(solved(PENCILS, "n0*n1-n2"), pupil).to_dict()
    assert process_time() - began < 2


def test_a_solution_survives_json() -> None:
    for text, equation in ((PENCILS, "n0*n1-n2"), ("Half of 7 km: how many km?", "n0*n1"), ("He has 5.", "n0")):
        solution = solved(text, equation, unsure=True)
        again = Solution.from_dict(solution.to_dict())
        assert again.to_dict() == solution.to_dict()
        assert again.graph == solution.graph


@pytest.mark.parametrize(
    ("text", "pupil"),
    [("What is 12 as a percentage of 48?", "12/48=25%"), ("48个零件中12个合格，合格率是多少？", "12÷48=25%")],
)
def test_a_percentage_may_be_asked_for_in_other_words(text: str, pupil: str) -> None:
    assert check(solved(text, "n0/n1" if "What" in text else "n1/n0"), pupil).verdict is Verdict.right


@pytest.mark.parametrize("pupil", ["3²+4² = 25", "9 + 16", "3^2+4^2"])
def test_powers_may_be_written_with_raised_digits(pupil: str) -> None:
    solution = solved("A tile has 3² cm² and another 4² cm². How much is that?", "n0+n1")
    assert check(solution, pupil).verdict is not Verdict.wrong


def test_mixed_numbers_may_be_written_with_one_sign() -> None:
    solution = solved("Each of 2 boards is 1 3/4 m long. How long are they?", "n0*n1")
    assert check(solution, "2 × 1¾ = 3½").verdict is Verdict.right


def test_a_word_instead_of_a_number_is_an_error_without_internals() -> None:
    with pytest.raises(SolveError, match=r"'hello' is not a number, such as 12, 0\.5 or 20%") as error:
        check(solved(PENCILS, "n0*n1-n2"), "hello")
    assert "temp_" not in str(error.value)


def test_every_error_of_an_equation_has_words_in_chinese() -> None:
    for code in ("bad-calculation", "bad-equation", "decimal-comma", "grouped-digits"):
        assert reason_in("zh", SolveError(code, "m", "h").to_dict()) != "m; h"
