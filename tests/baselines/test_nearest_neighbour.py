"""The nearest neighbour copies the equation of the most similar training text, and no more than that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.evaluation.cases import problem
from treequation.baselines.nearest_neighbour import NearestNeighbour
from treequation.data.reading import DataError
from treequation.experiments.neighbour_entry import UNLIKE, copy_equations, enter_nearest_neighbour
from treequation.expression.printing import to_infix
from treequation.training.sources import Problems

SHELF = problem("A shelf has 4 rows of 6 books. How many books are there?", "n0*n1", id="shelf")
PENS = problem("Ann has 3 pens and buys 4 pens and 5 pens. How many pens has she?", "n0+n1+n2", id="pens")
STAMPS = problem("小明有25张邮票，小红比小明少2张邮票，小红有多少张邮票？", "n0-n1", id="stamps")
TAUGHT = [PENS, SHELF, STAMPS]


def test_the_problems_own_numbers_are_put_in() -> None:
    new = problem("A shelf has 9 rows of 7 books. How many books are there?", "n0*n1", "63")
    copied = copy_equations(Problems(TAUGHT, [], [new]))
    (outcome,) = copied.outcomes
    assert (outcome.equation, outcome.value) == ("n0*n1", "63")
    assert outcome.answer_right
    assert outcome.literature_right
    assert outcome.seen  # the texts differ in their numbers only
    assert outcome.confidence == pytest.approx(1)
    assert copied.unlike == [False]
    assert enter_nearest_neighbour(copied).accuracies[0]["literature_accuracy"] == 1


def test_an_equation_that_does_not_fit_is_wrong() -> None:
    """The nearest text has three numbers, and the problem two."""
    new = problem("Ann has 3 pens and buys 4 pens. How many pens has she?", "n0+n1", "7")
    (copied,) = NearestNeighbour(TAUGHT).copy([new])
    assert to_infix(copied.graph) == to_infix(PENS.graph)  # type: ignore[arg-type]
    (outcome,) = copy_equations(Problems(TAUGHT, [], [new])).outcomes
    assert not outcome.answer_right
    assert not outcome.literature_right
    assert outcome.value == ""


def test_chinese_is_compared_by_characters() -> None:
    new = problem("小刚有30张邮票，小丽比小刚少8张邮票，小丽有多少张邮票？", "n0-n1", "22")
    (copied,) = NearestNeighbour(TAUGHT).copy([new])
    assert to_infix(copied.graph) == "n0-n1"
    assert UNLIKE < copied.similarity < 1


def test_a_text_without_a_known_word_is_like_none() -> None:
    copied = copy_equations(Problems(TAUGHT, [], [problem("Zwei plus drei?", "1+1")]))
    assert copied.unlike == [True]
    assert copied.outcomes[0].confidence == 0


def test_similarity_is_symmetric_and_ties_go_to_the_first() -> None:
    taught = [SHELF, replace(SHELF, graph=PENS.graph)]
    (copied,) = NearestNeighbour(taught).copy([SHELF])
    assert copied.graph == SHELF.graph
    (there,) = NearestNeighbour([SHELF, PENS]).copy([PENS])
    assert there.graph == PENS.graph


def test_problems_without_an_equation_teach_nothing() -> None:
    blank = replace(SHELF, graph=None)
    (copied,) = NearestNeighbour([blank, PENS]).copy([SHELF])
    assert copied.graph == PENS.graph
    with pytest.raises(DataError, match="no training problem has an equation"):
        NearestNeighbour([blank])


def test_a_problem_that_a_model_would_be_refused_is_wrong_here_as_well() -> None:
    copied = copy_equations(Problems(TAUGHT, [], [replace(SHELF, refused="another number format")]))
    assert not copied.outcomes[0].literature_right
    assert copied.outcomes[0].reason == "another number format"
