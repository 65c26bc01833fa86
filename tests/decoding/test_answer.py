"""The choice of the answer: a text with several numbers has something to compute, and amounts are not negative."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.expression.strategies import graphs
from treequation.decoding import answer
from treequation.decoding.answer import answer_to, as_amount
from treequation.decoding.assembly import Proposed, places_in
from treequation.decoding.beam_search import decode_with_beam
from treequation.decoding.greedy_search import decode_greedily
from treequation.decoding.search import Bools, Decoded, Distributions, Ints, Reader
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import ExpressionGraph, Number, Operator
from treequation.expression.parsing import parse_infix
from treequation.expression.printing import to_infix
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem


class Shy:
    """An engine whose only query finds None likeliest at the first step, and more so at the second."""

    def __init__(self, rows: int) -> None:
        self.rows, self.stop = rows, False

    def propose(self) -> Distributions:
        operator = [0.98, 0.01, 0.01] if self.stop else [0.6, 0.3, 0.1]
        sides = [[0.6, 0.4, 1e-30], [0.3, 0.7, 1e-30]] if self.stop else [[0.6, 0.4], [0.3, 0.7]]
        parts = [np.log(np.array(part, np.float32)) for part in (operator, *sides)]
        return Distributions(*(np.tile(part, (self.rows, 1, 1)) for part in parts))

    def advance(self, rows: Ints, operator: Ints, left: Ints, right: Ints, valid: Bools) -> None:
        self.rows, self.stop = len(rows), True


@pytest.mark.parametrize("beam", [1, 3])
def test_with_several_numbers_an_expression_is_taken_even_if_none_is_likelier(beam: int) -> None:
    vocabulary = Vocabulary((), (Operator.ADD, Operator.SUBTRACT))
    reader = Reader.of(vocabulary, [[Fraction(4), Fraction(2)], [Fraction(7)]], 2)
    if beam == 1:
        two, one = decode_greedily(Shy(2), reader, 3)
    else:
        (two, *_), (one, *_) = decode_with_beam(Shy(2), reader, 3, beam)
    assert two.graph == parse_infix("n0+n1")
    assert two.score < np.log(0.6)  # its probability stays as low as it was
    assert one.graph is None  # a lone number may be the answer
    seven = Problem("", "7 apples", find_numbers("7 apples"))
    assert answer_to(seven, one, amounts=False) == ExpressionGraph((), Number(0))


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        ("n0-n1", "n1-n0"),
        ("n1-n0", "n1-n0"),
        ("(n0-n1)*n2", "(n1-n0)*n2"),
        ("n2-(n0-n1)*n1", "n2-(n0-n1)*n1"),  # its value is positive, so a negative part stays
        ("n0-(n1+n2)", "n1+n2-n0"),
        ("(n0-n1)/(n0-n0)", "(n0-n1)/(n0-n0)"),  # has no value, swapped or not
    ],
)
def test_negative_differences_are_swapped_if_the_answer_is_negative(equation: str, expected: str) -> None:
    numbers = [Fraction(5), Fraction(8), Fraction(2)]
    graph = parse_infix(equation)
    amount, evaluation = as_amount(graph, evaluate(graph, numbers), numbers)
    assert to_infix(amount) == expected
    assert evaluation == evaluate(amount, numbers)


@given(graphs(), st.lists(st.fractions(-20, 20, max_denominator=9), min_size=8, max_size=8))
def test_only_the_equation_of_a_negative_answer_changes(graph: ExpressionGraph, values: list[Fraction]) -> None:
    before = evaluate(graph, values)
    amount, after = as_amount(graph, before, values)
    assert after == evaluate(amount, values)
    if not before.value.defined or before.value.number >= 0:
        assert amount == graph
    elif amount != graph:
        assert after.value.defined
        assert after.value.number >= 0


def test_a_swapped_difference_still_belongs_to_its_query() -> None:
    layers = [[Proposed(1, Operator.SUBTRACT, Number(0), Number(1))]]
    problem = Problem("", "5 and 8", find_numbers("5 and 8"))
    graph = answer_to(problem, Decoded(layers), amounts=True)
    assert graph == parse_infix("n1-n0")
    assert list(places_in(graph, layers)) == [1]


@pytest.mark.parametrize(
    ("text", "expected", "evaluations"),
    [
        ("Tom has 8 pens and Ann has 5. How many more has Tom?", "n0-n1", 1),
        ("Tom has 5 pens and Ann has 8. How many more has Ann?", "n1-n0", 2),  # and the swapped one
        ("What is 5 minus 8?", "n0-n1", 1),
    ],
)
def test_an_equation_is_evaluated_once(
    text: str, expected: str, evaluations: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[ExpressionGraph] = []
    monkeypatch.setattr(answer, "evaluate", lambda graph, values: counted.append(graph) or evaluate(graph, values))
    layers = [[Proposed(0, Operator.SUBTRACT, Number(0), Number(1))]]
    problem = Problem("", text, find_numbers(text))
    ((found,), reason) = answer.rank_answers(problem, [Decoded(layers)], amounts=True)
    assert (to_infix(found.graph), reason) == (expected, "")
    assert found.evaluation.value.number == evaluate(parse_infix(expected), problem.values).value.number
    assert len(counted) == len(set(counted)) == evaluations


@pytest.mark.parametrize(
    ("text", "numbers", "expression", "value", "doubtful"),
    [
        ("Tom has 5 pens and eats 8. How many are left?", 2, True, 3, True),  # swapped
        ("Tom has 8 pens and eats 5. How many are left?", 2, True, 3, False),
        ("The temperature was 3 °C and fell by 8 degrees. What is it now?", 2, True, -5, False),
        ("早上气温是3℃，晚上下降了8℃，晚上气温是多少？", 2, True, -5, False),
        ("What is the capital of France in 2024?", 1, False, 2024, True),  # a number of the text as it stands
        ("Hello world 5", 1, True, 0, True),  # asks nothing
        ("How much is 5 less itself?", 1, True, 0, False),
    ],
)
def test_answers_that_are_rarely_right_are_doubtful(
    text: str, numbers: int, expression: bool, value: int, doubtful: bool
) -> None:
    problem = Problem("", text, find_numbers(text))
    assert len(problem.values) == numbers
    small = min(range(numbers), key=lambda index: index if "8 pens" in text else problem.values[index])
    layers = [[Proposed(0, Operator.SUBTRACT, Number(small), Number(numbers - 1 - small))]] if expression else []
    ((found, *_), _) = answer.rank_answers(problem, [Decoded(layers)], amounts=True)
    assert (found.evaluation.value.number, found.doubtful) == (value, doubtful)
