"""Wrong equations are one edit away, and never have the right value."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.expression.strategies import graphs, values
from treequation.baselines.losses.disturb import EDITS, Edit, delete, exchange, graft, swap, wrong_equations
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, ExpressionGraph, Number, Operator
from treequation.expression.notations import from_prefix_symbols, prefix_symbols
from treequation.expression.parsing import parse_infix
from treequation.expression.printing import to_infix
from treequation.text.number_vocabulary import Vocabulary


def outcomes(edit: Edit, equation: str, leaves: list[Number | Constant], operators: list[Operator]) -> set[str]:
    """All that an edit may make of an equation."""
    symbols = prefix_symbols(parse_infix(equation))
    drawn = (edit(symbols, Random(seed), leaves, operators) for seed in range(200))
    return {to_infix(from_prefix_symbols(each)) for each in drawn}


def test_each_edit_does_what_it_says() -> None:
    n0, n1 = Number(0), Number(1)
    assert outcomes(delete, "n0*(n1-n2)", [], []) == {"n1-n2", "n0*n1", "n0*n2"}
    assert outcomes(swap, "n0*(n1-n2)", [], []) == {"(n1-n2)*n0", "n0*(n2-n1)"}
    assert outcomes(exchange, "n0*n1", [n0, n1], [Operator.ADD]) == {"n0+n1", "n0*n0", "n1*n1", "n0*n1"}
    grafted = outcomes(graft, "n0*n1", [Number(2)], [Operator.SUBTRACT])
    assert grafted == {"n0*n1-n2", "n2-n0*n1", "(n0-n2)*n1", "(n2-n0)*n1", "n0*(n1-n2)", "n0*(n2-n1)"}
    for edit in (delete, swap):  # a bare number has nothing to delete or swap
        assert outcomes(edit, "n0", [n0], []) == {"n0"}


@given(graphs(), values(), st.integers(0, 9))
def test_prefix_symbols_are_the_equation(graph: ExpressionGraph, numbers: list[Fraction], seed: int) -> None:
    assert from_prefix_symbols(prefix_symbols(graph)) == graph


@given(graphs(), values(), st.integers(0, 99), st.sampled_from(EDITS))
def test_a_wrong_equation_has_another_value(
    graph: ExpressionGraph, numbers: list[Fraction], seed: int, edit: Edit
) -> None:
    found = wrong_equations(graph, numbers, 5, Random(seed), Vocabulary((Fraction(100),)), [edit])
    right = evaluate(graph, numbers).value.number
    assert len(found) == len(set(found)) <= 5
    for each in found:
        assert each != graph
        assert evaluate(each, numbers).value.number != right
        assert all(leaf.index < len(numbers) for leaf in each.leaves if isinstance(leaf, Number))


@pytest.mark.parametrize(("equation", "edits"), [("n0+n1", [swap]), ("n0*1", [delete])])
def test_what_keeps_the_value_is_dropped(equation: str, edits: list[Edit]) -> None:
    found = wrong_equations(parse_infix(equation), [Fraction(2), Fraction(3)], 5, Random(0), Vocabulary(()), edits)
    assert [to_infix(each) for each in found] in ([], ["1"])
