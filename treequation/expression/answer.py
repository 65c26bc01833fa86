"""Which equation answers a problem, given what a decoder said about it."""

from __future__ import annotations

from treequation.expression.graph import ExpressionGraph, Number
from treequation.expression.search import Equation


def answer_graph(decoded: Equation, numbers: int) -> ExpressionGraph | None:
    """The decoded equation of a text with ``numbers`` numbers, or None where there is no answer.

    A decoder that proposes nothing says that there is nothing to compute. Where the text has one number alone,
    that number is the answer; among several there is nothing to choose by. An equation over a number that the
    text does not have, which a text without any number can lead to, is no answer either.

    >>> from treequation.expression.search import Decoded
    >>> answer_graph(Decoded(), numbers=1)
    ExpressionGraph(expressions=(), root=Number(index=0))
    >>> answer_graph(Decoded(), numbers=2) is None
    True
    """
    graph = decoded.graph
    if graph is None:
        return ExpressionGraph((), Number(0)) if numbers == 1 else None
    if any(isinstance(leaf, Number) and leaf.index >= numbers for leaf in graph.leaves):
        return None
    return graph
