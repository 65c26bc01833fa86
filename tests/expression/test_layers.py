"""Layers, shapes, and the steps of the four families."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.expression.strategies import graphs
from treequation.expression.graph import ExpressionGraph, Result
from treequation.expression.layers import DecodingSteps, Shape, decoding_steps, layers, shape
from treequation.expression.notations import from_triples, to_prefix
from treequation.expression.parsing import parse_infix
from treequation.expression.printing import to_infix


@given(graphs(max_expressions=14), st.none() | st.integers(1, 4))
def test_layers_respect_dependencies_and_width(graph: ExpressionGraph, width: int | None) -> None:
    laid_out = layers(graph, width)
    layer_of = {index: number for number, layer in enumerate(laid_out) for index in layer}
    assert sorted(layer_of) == list(range(len(graph)))
    assert all(layer and (width is None or len(layer) <= width) for layer in laid_out)
    for index, expression in enumerate(graph.expressions):
        operands = [o.index for o in (expression.left, expression.right) if isinstance(o, Result)]
        earliest = max((layer_of[operand] + 1 for operand in operands), default=0)
        assert layer_of[index] >= earliest
        if width is None:
            assert layer_of[index] == earliest
        elif layer_of[index] > earliest:  # it moved on only because the layers before were full
            assert all(len(layer) == width for layer in laid_out[earliest : layer_of[index]])


def test_a_full_layer_keeps_what_is_farthest_from_the_root() -> None:
    # Four products are ready at once; the last two have one step more to go.
    graph = parse_infix("n0*n1 + (n2*n3 + (n4*n5 + n6*n7))")
    assert [len(layer) for layer in layers(graph)] == [4, 1, 1, 1]
    assert layers(graph, width=2) == ((2, 3), (1, 4), (0, 5), (6,))


def test_a_layer_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        layers(parse_infix("n0+n1"), width=0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5", Shape.NUMBER),
        ("n0*n1", Shape.SINGLE),
        ("n0*n1*n2-n3", Shape.CHAIN),
        ("n0*n1 + n0*n1", Shape.CHAIN),  # the product is one expression, used twice
        ("(n0+n1)*(n0+n1-1)", Shape.CHAIN),
        ("n0*n1 + n2*n3", Shape.TREE),
        ("((n0+n1)*2)/((n0+n1)*3)", Shape.TREE),
    ],
)
def test_shapes(text: str, expected: Shape) -> None:
    assert shape(parse_infix(text)) is expected


def test_the_steps_of_the_papers_example() -> None:
    # 50 × 5 + 60 × 4: seven tokens either way, three expressions, two layers.
    assert decoding_steps(parse_infix("50*5+60*4")) == DecodingSteps(7, 7, 3, 2)
    assert decoding_steps(parse_infix("50")) == DecodingSteps(1, 1, 0, 0)


@given(graphs(constants=st.integers(0, 9).map(Fraction)))
def test_steps_count_the_tokens_of_what_is_printed(graph: ExpressionGraph) -> None:
    steps = decoding_steps(graph)
    assert steps.prefix == len(to_prefix(graph).split())
    printed = to_infix(graph, symbols="unicode").replace("⌈", "ceil(").replace("⌊", "floor(")
    assert steps.infix == len(re.findall(r"n?\d+|[-+−×÷^()⌉⌋]|mod|ceil|floor", printed))


def test_steps_are_counted_without_writing_the_tree_out() -> None:
    doubled = from_triples([("a", "a", "+"), *((f"m_{i}", f"m_{i}", "+") for i in range(1, 150))])
    steps = decoding_steps(doubled)
    assert (steps.prefix, steps.expressions, steps.layers) == (2**151 - 1, 150, 150)
