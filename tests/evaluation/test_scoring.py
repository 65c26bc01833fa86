from dataclasses import replace
from fractions import Fraction
from math import exp, nan

import pytest

from tests.evaluation.cases import decoded_as, problem
from treequation.baselines.symbol_search import Written
from treequation.data.reading import DataError
from treequation.decoding.assembly import Proposed
from treequation.decoding.search import Decoded
from treequation.evaluation.scoring import Outcome, score, score_value
from treequation.expression.evaluation import format_value
from treequation.expression.graph import Number, Operand, Operator, Result
from treequation.text.problem import Problem

# text, gold equation, annotated answer, predicted equation, and whether answer, equation, literature are right
CASES = {
    "exact": ("3 4", "n0*n1", "12", "n0*n1", "ael"),
    "the operands of a product may be swapped": ("3 4", "n0*n1", "12", "n1*n0", "ael"),
    "another grouping": ("9 4 2", "n0-n1-n2", "3", "n0-(n1+n2)", "ael"),
    "wrong, but of equal value": ("2 2", "n0*n1", "4", "n0+n1", "al"),
    "wrong": ("3 4", "n0*n1", "12", "n0+n1", ""),
    "1/3 against 0.333": ("1 3", "n0/n1", "0.333", "n0/n1", "ael"),
    "1/3 against 0.33": ("1 3", "n0/n1", "0.33", "n0/n1", "ael"),
    "1/3 is not 0.34": ("1 3", "n0/n1", "0.34", "n0/n1", "el"),
    "0.54 is not 0.5 rounded": ("54 100", "n0/n1-0.04", "0.5", "n0/n1", ""),
    "4.6 is not 5 rounded": ("23 5", "n0/n1+0.4", "5", "n0/n1", ""),
    "rounded annotation: the literature asks the equation": ("100 3", "n0/n1", "33.3", "n0/n1", "ael"),
    "50 % is 0.5": ("50%", "n0/1", "0.5", "n0*1", "ael"),
    "50 % is not 50": ("50%", "n0/1", "0.5", "n0*100", ""),
    "within the tolerance": ("10000 1", "n0+n1", "10001", "n0+n1+0.00005", "al"),
    "outside the tolerance": ("10000 1", "n0+n1", "10001", "n0+n1+0.0002", ""),
    "no annotated answer: the gold equation's value": ("3 4", "n0*n1", None, "n1*n0", "ael"),
    "annotated answer at odds with the gold equation": ("3 4", "n0*n1", "7", "n0+n1", "a"),
    "division by zero": ("5 2", "n0*n1", "10", "n0/(n1-2)", ""),
    "the literature's division by zero": ("5 2", "n0*1000", "5000", "n0/(n1-2)", "l"),
    "the literature's failed power": ("8 8", "n0-n1", "0", "(0-n0)^0.5", "l"),
    "too large": ("9 9", "n0+n1", "18", "n0^(n1^n1)", ""),
    "irrational": ("2 1", "n0^(n1/2)", "1.4142135", "2^0.5", "al"),
}


@pytest.mark.parametrize(("text", "gold", "answer", "predicted", "right"), CASES.values(), ids=CASES.keys())
def test_scores(text: str, gold: str, answer: str | None, predicted: str, right: str) -> None:
    outcome = score(problem(text, gold, answer), decoded_as(predicted))
    assert _right(outcome) == ("a" in right, "e" in right, "l" in right)


def test_an_undefined_value_gives_its_reason() -> None:
    outcome = score(problem("5 2", "n0*n1", "10"), decoded_as("n0/(n1-2)"))
    assert (outcome.value, outcome.reason) == ("", "5 ÷ 0 divides by zero")
    assert outcome.equation == "n0/(n1-2)"


def test_nothing_decoded_means_the_only_number() -> None:
    outcome = score(problem("He has 7 pens. How many?", "n0", "7"), Decoded())
    assert _right(outcome) == (True, True, True)
    assert (outcome.equation, outcome.value, outcome.steps, outcome.shape) == ("n0", "7", 0, "number")


@pytest.mark.parametrize("text", ["no number at all", "7 pens and 8"])
def test_nothing_decoded_is_no_answer_where_no_number_or_several_are(text: str) -> None:
    outcome = score(problem(text, "7", "7"), Decoded(score=-0.1))
    assert _right(outcome) == (False, False, False)
    assert (outcome.value, outcome.confidence, outcome.reason) == ("", 0.0, "nothing was decoded")


def test_what_a_peer_wrote_that_is_no_equation_is_no_answer_even_if_the_text_has_one_number() -> None:
    outcome = score(problem("He has 7 pens. How many?", "n0", "7"), Written(None, -0.1, 3))
    assert _right(outcome) == (False, False, False)
    assert (outcome.equation, outcome.value, outcome.confidence) == ("", "", 0.0)


def test_what_was_never_decoded_is_wrong_even_if_the_text_has_one_number() -> None:
    outcome = score(replace(problem("7 pens", "n0", "7"), refused="the text is too long"), None)
    assert not outcome.answer_right
    assert outcome.reason == "the text is too long"


def test_a_number_that_the_text_does_not_have_is_no_answer() -> None:
    outcome = score(problem("3 4", "n0+n1", "7"), decoded_as("n0+n5"))
    assert _right(outcome) == (False, False, False)
    assert outcome.value == ""


def test_confidence_is_a_probability_also_when_the_model_diverged() -> None:
    sure, diverged = (score(problem("3 4", "n0+n1", "7"), decoded_as("n0+n1", each)) for each in (-0.25, nan))
    assert sure.confidence == pytest.approx(exp(-0.25))
    assert diverged.confidence == 0.0


def test_the_gold_equation_decides_the_groups() -> None:
    outcome = score(problem("3 4 5 6", "n0*n1-n2*n3", "-18"), decoded_as("n0+n1"))
    assert (outcome.shape, outcome.expressions, outcome.operators, outcome.steps) == ("tree", 3, "-*", 1)


def test_an_equation_too_long_to_write_out_is_scored() -> None:
    outcome = score(problem("1 2", "n0*n1", "2"), _doubling(40))
    assert outcome.value == str(2**40)
    assert "tokens" in outcome.equation


@pytest.mark.parametrize(
    ("answer", "equation", "right", "literature"),
    [("12", "n0*n1", True, True), ("13", "n0*n1", False, False), ("0.33", "n2/n0", True, False)],
)
def test_a_problem_without_an_equation_is_scored_by_its_value(
    answer: str, equation: str, right: bool, literature: bool
) -> None:
    gold = replace(problem("3 4 1", "n0", answer), graph=None)
    outcome = score(gold, decoded_as(equation))
    assert _right(outcome) == (right, None, literature)
    assert (outcome.gold_equation, outcome.gold_value) == ("", format_value(Fraction(answer)))
    assert (outcome.shape, outcome.expressions, outcome.operators) == ("", None, "")
    assert _right(score_value(gold, Fraction(12), confidence=1.0)) == (answer == "12", None, answer == "12")
    assert _right(score(gold, None)) == (False, None, False)


@pytest.mark.parametrize(
    ("answer", "given", "right"),
    [("100/3", "33.33", True), ("100/3", "33.3", True), ("100/3", "33.4", False), ("100/3", "33", False)],
)
def test_a_number_without_an_equation_may_be_rounded(answer: str, given: str, right: bool) -> None:
    gold = replace(problem("3 4 1", "n0", answer), graph=None)
    outcome = score_value(gold, Fraction(given), confidence=1.0)
    assert (outcome.answer_right, outcome.value) == (right, given)


def test_a_problem_with_neither_equation_nor_answer_is_refused() -> None:
    with pytest.raises(DataError, match="problem p7 has neither an equation nor an answer"):
        score(Problem("p7", "3", ()), Decoded())


def _right(outcome: Outcome) -> tuple[bool, bool | None, bool]:
    return outcome.answer_right, outcome.equation_right, outcome.literature_right


def _doubling(times: int) -> Decoded:
    """(n0+n0)+(n0+n0)…: ``times`` expressions that would be 2^times numbers when written out."""
    operands: list[Operand] = [Number(0), *(Result(index) for index in range(times - 1))]
    return Decoded([[Proposed(index, Operator.ADD, each, each)] for index, each in enumerate(operands)])
