"""Which equation answers a problem: silence and sums below zero are thought over."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from treequation.expression import evaluate
from treequation.expression.answer import answer_graph, find_equations
from treequation.expression.graph import Operator
from treequation.expression.search import Bools, Decoded, Distributions, Ints, Reader
from treequation.expression.slots import Vocabulary

OPERATORS = (Operator.ADD, Operator.SUBTRACT)


class OneStep:
    """An engine with one query that says the same at the first step of every row, and nothing at the second."""

    def __init__(self, rows: int, operator: list[float], left: list[float], right: list[float]) -> None:
        self.first = [np.log(np.array(part, np.float32)) for part in (operator, left, right)]
        self.rows, self.steps_run, self.slots, self.stop = rows, 0, 0, False

    def propose(self) -> Distributions:
        self.steps_run += 1
        operator, left, right = self.first
        if self.stop:
            operator = np.log(np.array([0.98, 0.01, 0.01], np.float32))
        left, right = (np.concatenate([side, np.full(self.slots, -1e30, np.float32)]) for side in (left, right))
        return Distributions(*(np.tile(part, (self.rows, 1, 1)) for part in (operator, left, right)))

    def advance(self, rows: Ints, operator: Ints, left: Ints, right: Ints, valid: Bools) -> None:
        self.rows, self.slots, self.stop = len(rows), self.slots + 1, True

    def restart(self, rows: Ints) -> int:
        self.rows, self.slots, self.stop = len(rows), 0, False
        return self.steps_run


def values_of(found: list[list[Decoded]], numbers: list[tuple[int, ...]]) -> list[Fraction | float | None]:
    values = []
    for (decoded,), given in zip(found, numbers, strict=True):
        graph = answer_graph(decoded, len(given))
        values.append(None if graph is None else evaluate(graph, [Fraction(n) for n in given]).value.number)
    return values


def search(numbers: list[tuple[int, ...]], operator: list[float], second_thoughts: int = 0) -> list[list[Decoded]]:
    """The first number is the likelier left operand, the second one the likelier right one."""
    engine = OneStep(len(numbers), operator, [0.6, 0.4], [0.3, 0.7])
    reader = Reader.of(Vocabulary((), OPERATORS), [[Fraction(n) for n in given] for given in numbers], 2)
    return find_equations(engine, reader, 3, second_thoughts=second_thoughts)


def test_a_difference_below_zero_is_turned_round_on_second_thoughts_and_another_is_left_alone() -> None:
    numbers = [(5, 8), (9, 2)]
    subtract = [0.01, 0.01, 0.98]
    assert values_of(search(numbers, subtract), numbers) == [-3, 7]
    thought_over = search(numbers, subtract, second_thoughts=5)
    assert values_of(thought_over, numbers) == [3, 7]
    ((turned,), (kept,)) = thought_over
    assert (turned.since, kept.since) == (2, 0)  # its records come after those of the first two steps
    assert turned.score < kept.score


def test_where_nothing_above_zero_is_found_the_first_thought_stands() -> None:
    numbers = [(-5, 3)]
    assert values_of(search(numbers, [0.0005, 0.0005, 0.999], second_thoughts=2), numbers) == [-8]


@pytest.mark.parametrize("beam", [1, 3])
def test_several_numbers_ask_for_something_even_of_a_query_that_would_rather_be_silent(beam: int) -> None:
    engine = OneStep(2, [0.6, 0.3, 0.1], [0.6, 0.4], [0.3, 0.7])
    reader = Reader.of(Vocabulary((), OPERATORS), [[Fraction(4), Fraction(2)], [Fraction(7)]], 2)
    (two, one) = find_equations(engine, reader, 3, beam=beam)
    assert two[0].graph is not None
    assert two[0].graph.expressions[0].operator is Operator.ADD
    assert two[0].score < np.log(0.6)  # it is no surer of it than it was
    assert one[0].graph is None  # a lone number may be the answer
