"""Lays an expression graph out in layers, the unit in which the model decodes, and measures its shape.

A layer holds expressions that do not need each other, so that they can be written in one step.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from treequation.expression.graph import Expression, ExpressionGraph, Result
from treequation.expression.notations import prefix_length
from treequation.expression.printing import brackets


def layers(graph: ExpressionGraph, width: int | None = None) -> tuple[tuple[int, ...], ...]:
    """The indices of the expressions, layer by layer, each as soon as its operands are there.

    If more than ``width`` expressions could stand in a layer, it takes those with the longest way to the root. The
    rest move to the next layer, with everything that depends on them.

    >>> from treequation.expression.parsing import parse_infix
    >>> layers(parse_infix("n0*n1 + n2*n3 - 1"))
    ((0, 1), (2,), (3,))
    >>> layers(parse_infix("n0*n1 + n2*n3 - 1"), width=1)
    ((0,), (1,), (2,), (3,))
    """
    if width is not None and width < 1:
        raise ValueError(f"a layer has to have room for at least one expression, not {width}")
    way = _way_to_root(graph)
    missing = [len(set(_results(expression))) for expression in graph.expressions]
    users: list[list[int]] = [[] for _ in graph.expressions]
    for index, expression in enumerate(graph.expressions):
        for operand in set(_results(expression)):
            users[operand].append(index)

    laid_out: list[tuple[int, ...]] = []
    ready = [index for index, count in enumerate(missing) if count == 0]
    while ready:
        ready.sort(key=lambda index: (-way[index], index))
        layer, ready = ready[:width], ready[len(ready) if width is None else width :]
        laid_out.append(tuple(sorted(layer)))
        for index in layer:
            for user in users[index]:
                missing[user] -= 1
                if missing[user] == 0:
                    ready.append(user)
    return tuple(laid_out)


def _way_to_root(graph: ExpressionGraph) -> list[int]:
    """For each expression, the most steps that lie between it and the root."""
    way = [0] * len(graph)
    for index in reversed(range(len(graph))):
        for operand in _results(graph.expressions[index]):
            way[operand] = max(way[operand], way[index] + 1)
    return way


def _results(expression: Expression) -> list[int]:
    return [o.index for o in (expression.left, expression.right) if isinstance(o, Result)]


class Shape(Enum):
    """The paper's kinds of equations; a bare number, which it does not mention, is one of its own."""

    NUMBER = "number"
    SINGLE = "single"
    CHAIN = "chain"
    TREE = "tree"


def shape(graph: ExpressionGraph) -> Shape:
    """A chain has one expression in every layer; a tree has a layer of two or more.

    >>> from treequation.expression.parsing import parse_infix
    >>> [shape(parse_infix(text)).value for text in ("n0", "n0+n1", "(n0+n1)*n2", "(n0+n1)*(n2-n3)")]
    ['number', 'single', 'chain', 'tree']
    """
    if len(graph) <= 1:
        return Shape.SINGLE if graph.expressions else Shape.NUMBER
    return Shape.CHAIN if len(layers(graph)) == len(graph) else Shape.TREE


@dataclass(frozen=True, slots=True)
class DecodingSteps:
    """The steps that each family of decoders takes to write an equation, as in the paper's step table."""

    infix: int
    """Tokens of the infix text with the brackets it needs: sequence to sequence."""
    prefix: int
    """Tokens of the prefix text: sequence to tree."""
    expressions: int
    """Expressions one by one: sequence to expression."""
    layers: int
    """Layers of expressions: expression tree decoding."""


def decoding_steps(graph: ExpressionGraph) -> DecodingSteps:
    """The steps of the four families for one equation. Tokens count every use of a shared result.

    >>> from treequation.expression.parsing import parse_infix
    >>> decoding_steps(parse_infix("(n0+n1)*(n2-n3)"))
    DecodingSteps(infix=11, prefix=7, expressions=3, layers=2)
    """
    return DecodingSteps(_infix_length(graph), prefix_length(graph), len(graph), len(layers(graph)))


def _infix_length(graph: ExpressionGraph) -> int:
    def join(expression: Expression, left: int, right: int) -> int:
        around = 3 if expression.operator.rounds else 0  # ceil ( )
        return left + 1 + right + 2 * sum(brackets(graph, expression)) + around

    return graph.fold(lambda leaf: 1, join)
