"""Lays an expression graph out in layers, the unit in which the model decodes, and measures its shape.

The expressions of a layer do not depend on each other, so they can be decoded in one step.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from treequation.expression.graph import Expression, ExpressionGraph, Result
from treequation.expression.notations import prefix_length
from treequation.expression.printing import brackets


def layers(graph: ExpressionGraph, width: int | None = None) -> tuple[tuple[int, ...], ...]:
    """The indices of the expressions, layer by layer, each in the first layer after its operands.

    If a layer would have more than ``width`` expressions, it keeps those with the longest path to the root. The rest
    move to the next layer, and what depends on them moves too.

    >>> from treequation.expression.parsing import parse_infix
    >>> layers(parse_infix("n0*n1 + n2*n3 - 1"))
    ((0, 1), (2,), (3,))
    >>> layers(parse_infix("n0*n1 + n2*n3 - 1"), width=1)
    ((0,), (1,), (2,), (3,))
    """
    if width is not None and width < 1:
        raise ValueError(f"a layer must have room for at least one expression, not {width}")
    distance = _distance_to_root(graph)
    missing = [len(set(_results(expression))) for expression in graph.expressions]
    users: list[list[int]] = [[] for _ in graph.expressions]
    for index, expression in enumerate(graph.expressions):
        for operand in set(_results(expression)):
            users[operand].append(index)

    laid_out: list[tuple[int, ...]] = []
    ready = [index for index, count in enumerate(missing) if count == 0]
    while ready:
        ready.sort(key=lambda index: (-distance[index], index))
        layer, ready = ready[:width], ready[len(ready) if width is None else width :]
        laid_out.append(tuple(sorted(layer)))
        for index in layer:
            for user in users[index]:
                missing[user] -= 1
                if missing[user] == 0:
                    ready.append(user)
    return tuple(laid_out)


def _distance_to_root(graph: ExpressionGraph) -> list[int]:
    """For each expression, the length of its longest path to the root."""
    distance = [0] * len(graph)
    for index in reversed(range(len(graph))):
        for operand in _results(graph.expressions[index]):
            distance[operand] = max(distance[operand], distance[index] + 1)
    return distance


def _results(expression: Expression) -> list[int]:
    return [o.index for o in (expression.left, expression.right) if isinstance(o, Result)]


class Shape(Enum):
    """The paper's three shapes of equations, and a bare number, which the paper does not mention."""

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
    """The decoding steps that each family of decoders takes for an equation, as in the paper's table of steps."""

    infix: int
    """Tokens of the infix text with the brackets it needs: sequence to sequence."""
    prefix: int
    """Tokens of the prefix text: sequence to tree."""
    expressions: int
    """Expressions one by one: sequence to expression."""
    layers: int
    """Layers of expressions: expression tree decoding."""


def decoding_steps(graph: ExpressionGraph) -> DecodingSteps:
    """The steps of the four families for one equation. A shared result counts in tokens each time it is used.

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
