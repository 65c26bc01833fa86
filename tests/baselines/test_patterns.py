"""Pairs of problems are what the papers say."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.expression.strategies import graphs
from treequation.baselines.losses.disturb import end_of
from treequation.baselines.losses.patterns import (
    FREQUENT,
    PAIRS,
    character_runs,
    mates_by_pattern,
    mates_by_text,
    operator_tree,
    subtrees,
    text_similarities,
    tree_distance,
)
from treequation.expression.graph import ExpressionGraph
from treequation.expression.notations import prefix_symbols
from treequation.expression.parsing import parse_infix


def parsed(*equations: str) -> list[ExpressionGraph]:
    return [parse_infix(equation) for equation in equations]


def test_mates_by_pattern_worked_by_hand() -> None:
    equations = parsed("n0+n1", "(n0+n1)*n2", "n1+100", "n0*n1", "n0-n1")
    mates = mates_by_pattern(equations, Random(0))
    assert mates.shape == (5, PAIRS, 4)
    # n0+n1: its tree stands in the product, at place 1, and is all of the other sum. No other sum has more operands.
    assert (mates[0] == -1).all()
    # The product: its part, at place 1, is all of either sum. The plain product has its root and fewer operands.
    assert {tuple(mate) for mate in mates[1].tolist()} == {(0, 3, 1, 0), (2, 3, 1, 0)}
    assert (mates[3:] == -1).all()  # nothing holds them, or what does is missing
    three = mates_by_pattern(parsed("n0+n1", "n0+n1+n2", "n2+n1"), Random(0), whole=True)
    assert three[0, :, :2].tolist() == [[2, 1]] * PAIRS
    assert (three[1] == -1).all()  # no other equation has its tree


@settings(max_examples=50)
@given(st.lists(graphs(), min_size=2, max_size=12), st.integers(0, 9), st.booleans())
def test_mates_by_pattern_share_the_node_that_is_named(
    equations: list[ExpressionGraph], seed: int, whole: bool
) -> None:
    symbols = [prefix_symbols(graph) for graph in equations]
    mates = mates_by_pattern(equations, Random(seed), whole=whole)
    for index, own in enumerate(symbols):
        for positive, negative, place, its_place in mates[index].tolist():
            if positive < 0:
                assert negative < 0
                continue
            assert positive != index
            other, against = symbols[positive], symbols[negative]
            shared = operator_tree(own[place : end_of(own, place)])
            assert shared == operator_tree(other[its_place : end_of(other, its_place)])
            assert place == 0 or its_place == 0  # it is the whole tree of one of them
            assert not whole or place == its_place == 0
            assert against[0] == own[0]
            assert len(against) != len(own)


def test_mates_by_text_are_the_least_and_the_most_similar() -> None:
    texts = [
        "the red cat has # mice",
        "a red cat has # mice",
        "ships sail at # knots",
        "the red cat ate # mice",
        "?",
    ]
    equations = parsed("n0+n1", "n0+n1", "n0+n1", "n0-n1", "n0*n1/n2")
    mates = mates_by_text(texts, equations, Random(0))
    assert mates[0, 0].tolist() == [2, 3, 0, 0]  # the same sum about ships; the nearest equation about the cat
    assert mates[2, 0, 0] in (0, 1)
    assert (mates[3:] == -1).all()  # alone with their equations


def test_a_negative_has_a_frequent_equation() -> None:
    equations = parsed(*["n0+n1"] * FREQUENT, *["n0*n1*n2"] * FREQUENT, "n0-n1")
    texts = [f"text {index}" for index in range(len(equations))]
    mates = mates_by_text(texts, equations, Random(0))
    assert {negative >= FREQUENT for negative in mates[:FREQUENT, 0, 1].tolist()} == {True}
    assert 2 * FREQUENT not in mates[:, 0, 1]  # nearer, but rare


@settings(max_examples=50)
@given(graphs(max_expressions=3), graphs(max_expressions=3), graphs(max_expressions=3))
def test_the_tree_distance_is_a_distance(a: ExpressionGraph, b: ExpressionGraph, c: ExpressionGraph) -> None:
    one, two, three = (prefix_symbols(graph) for graph in (a, b, c))
    assert (tree_distance(one, two) == 0) == (a == b)
    assert tree_distance(one, two) == tree_distance(two, one) >= abs(len(one) - len(two))
    assert tree_distance(one, three) <= tree_distance(one, two) + tree_distance(two, three)


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ("n0", "n1", 1),
        ("n0-n1", "n1-n0", 2),
        ("(n0+n1)*n2", "n2*(n0+n1)", 2),
        ("n0+n1", "n0+n1", 0),
        ("n0*n1", "n0", 2),
    ],
)
def test_tree_distances_worked_by_hand(a: str, b: str, distance: int) -> None:
    assert tree_distance(*(prefix_symbols(graph) for graph in parsed(a, b))) == distance


def test_subtrees_of_a_bare_number_are_none() -> None:
    assert subtrees(parse_infix("n0")) == {}


def test_text_similarity() -> None:
    runs = character_runs(["a cat has two mice", "a cat had two mice", "ships sail"])
    same, near, far = text_similarities(runs[0], runs)
    assert same == 1.0
    assert 0 < far < near < 1
    assert near == pytest.approx(text_similarities(runs[1], runs)[0])
