"""Checks of data sets, and their statistics, on problems made by hand."""

from fractions import Fraction
from pathlib import Path

import pytest

from treequation.data.catalogue import load
from treequation.data.reading import Code, Reading
from treequation.data.statistics import statistics
from treequation.data.validation import agrees, validate
from treequation.expression.evaluation import Value
from treequation.expression.parsing import parse_infix
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem


def problem(text: str, equation: str | None, answer: str | None = None) -> Problem:
    return Problem(
        id=text[:5],
        text=text,
        numbers=find_numbers(text),
        graph=None if equation is None else parse_infix(equation),
        answer=None if answer is None else Fraction(answer),
    )


def reading(*problems: Problem) -> Reading:
    return Reading(problems, (), len(problems), tuple(range(1, len(problems) + 1)), "file")


def findings(validated: Reading, **others: Reading) -> list[tuple[int, Code]]:
    validation = validate({"test": validated, **others})["test"]
    return [(finding.row, finding.code) for finding in validation.findings]


@pytest.mark.parametrize(
    ("equation", "answer", "expected"),
    [
        ("n0 + n1", "10", []),
        ("n0 / n1", "2.33333", []),
        ("n0 / n1", "2.33", [Code.ROUNDED_ANSWER]),
        ("n0 / n1", "2", [Code.ROUNDED_ANSWER]),  # as in "how many full boxes"
        ("n0 / n1", "2.5", [Code.WRONG_ANSWER]),
        ("n0 - n1", "-4", [Code.WRONG_ANSWER]),
        ("n0 / (n1 - 3)", "1", [Code.WRONG_ANSWER]),  # a division by zero
        ("n0 ^ (1/2)", "2.6458", []),
        (None, "3", []),
        ("n0 + n1", None, []),
    ],
)
def test_an_equation_is_held_against_the_answer(equation: str | None, answer: str | None, expected: list[Code]) -> None:
    found = findings(reading(problem("There are 7 cats and 3 dogs.", equation, answer)))
    assert [code for _, code in found] == expected


def test_the_share_of_answers_given_counts_those_that_could_be() -> None:
    text = "There are 7 cats and 3 dogs."
    rows = [(f"{text} {extra}", answer) for extra, answer in (("A?", "10"), ("B?", "11"), ("C?", None))]
    validation = validate({"test": reading(*(problem(t, "n0 + n1", a) for t, a in rows))})["test"]
    assert (validation.answers, validation.answers_given) == (2, 1)


def test_a_text_that_comes_twice_is_a_duplicate_once() -> None:
    same = "There are 7 cats."
    assert findings(reading(problem(same, None), problem("Other 1.", None), problem(same, None))) == [
        (3, Code.DUPLICATE)
    ]


def test_a_text_of_the_training_split_with_other_numbers_is_an_overlap() -> None:
    training = reading(problem("There are 7 cats.", None))
    tested = reading(problem("There are 9 dogs.", None), problem("there are 12  cats.", None))
    assert findings(tested, train=training) == [(2, Code.OVERLAP)]
    assert validate({"train": training})["train"].findings == ()


def test_an_undefined_value_agrees_with_nothing() -> None:
    assert not agrees(Value(None, "5 ÷ 0"), Fraction(0))


def test_statistics_by_hand() -> None:
    figures = statistics(
        [
            problem("Add 1 to 2.", "n0 + n1"),  # 1 layer; infix a+b, prefix 3
            problem("Of 1, 2, 3 and 4.", "n0*n1 + n2*n3"),  # 2 layers, the first of width 2
            problem("Of 1 and 2.", "(n0 + n1) * (n0 + n1)"),  # 2 layers; the sum is one expression, used twice
            problem("Just 5.", "n0"),
            problem("No equation, but 5.", None),
        ]
    )
    assert figures["problems"] == 4
    assert (figures["mean_expressions"], figures["max_expressions"]) == (1.5, 3)
    assert figures["std_expressions"] == pytest.approx(1.25**0.5)
    assert (figures["mean_layers"], figures["max_layers"]) == (1.25, 2)
    assert figures["std_layers"] == pytest.approx(0.6875**0.5)
    assert (figures["max_prefix"], figures["max_infix"]) == (7, 11)
    assert (figures["max_width"], figures["shared_results"]) == (2, 1)
    assert figures["shapes"] == {"number": 1, "single": 1, "chain": 1, "tree": 1}
    assert (figures["mean_numbers"], figures["max_numbers"]) == (2.25, 4)
    assert figures["max_tokens"] == 9  # Of 1 , 2 , 3 and 4 .


@pytest.mark.parametrize(
    ("name", "fold", "parallel", "widest"),
    [("mathqa", None, 0.49, 5), ("math23k", None, 0.15, 4), ("mawps", 0, 0.015, 3)],
)
def test_the_data_sets_have_their_known_shapes(
    data_folder: Path, name: str, fold: int | None, parallel: float, widest: int
) -> None:
    figures = statistics(load(name, "test", fold=fold, root=data_folder).problems)
    assert figures["shapes"]["tree"] / figures["problems"] == pytest.approx(parallel, abs=0.006)
    assert figures["max_width"] == widest


@pytest.mark.parametrize(
    ("name", "fold", "rate"), [("mathqa", None, 0.95), ("math23k", None, 0.99), ("mawps", 0, 0.99)]
)
def test_the_equations_of_the_data_sets_give_their_answers(
    data_folder: Path, name: str, fold: int | None, rate: float
) -> None:
    validation = validate({"test": load(name, "test", fold=fold, root=data_folder)})["test"]
    assert validation.answers_given > rate * validation.answers > 0
    assert validation.counts[Code.WRONG_ANSWER] <= 0.005 * validation.answers
