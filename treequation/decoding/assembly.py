"""From the expressions that queries proposed, layer by layer, to one equation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treequation.expression.graph import Expression, ExpressionGraph, GraphBuilder, Operand, Operator, Result


class Proposed(NamedTuple):
    """An expression that a query proposed. ``place`` is layer × queries + query; results are named by place.

    A plain tuple: a search makes more of these than of anything else.
    """

    place: int
    operator: Operator
    left: Operand
    right: Operand
    score: float = 0.0  # log-probability


def assemble(layers: Sequence[Sequence[Proposed]]) -> ExpressionGraph | None:
    """The equation that was decoded, or None if no layer has an expression.

    The answer is the last expression that no other uses; if a layer has several such, it is the most probable of them.
    Expressions that the answer does not need are left out.

    >>> from treequation.expression.graph import Number
    >>> first = [Proposed(0, Operator.ADD, Number(0), Number(1)), Proposed(1, Operator.ADD, Number(2), Number(3))]
    >>> second = [Proposed(2, Operator.MULTIPLY, Result(0), Result(1), score=-0.1)]
    >>> len(assemble([first, second, []]))
    3
    """
    builder = GraphBuilder()
    results: dict[int, Result] = {}  # by place
    used: set[int] = set()  # indices of results that are operands of others
    for layer in layers:
        for place, operator, left, right, _ in layer:
            if isinstance(left, Result):
                left = results[left.index]
                used.add(left.index)
            if isinstance(right, Result):
                right = results[right.index]
                used.add(right.index)
            results[place] = builder.add(operator, left, right)
    for layer in reversed(layers):
        # A later layer may repeat an expression that is already an operand: that is not an answer.
        open_ends = [proposed for proposed in layer if results[proposed.place].index not in used]
        if open_ends:
            answer = open_ends[0] if len(open_ends) == 1 else max(open_ends, key=lambda proposed: proposed.score)
            return builder.graph(results[answer.place])
    return None


def places_in(graph: ExpressionGraph, layers: Sequence[Sequence[Proposed]]) -> dict[int, Result]:
    """The expression of the assembled graph that was proposed at each place.

    Places that the answer does not need are absent.

    >>> from treequation.expression.graph import Number
    >>> useless, useful = (Proposed(place, Operator.ADD, Number(0), Number(place)) for place in (1, 2))
    >>> last = Proposed(3, Operator.MULTIPLY, Result(2), Number(0))
    >>> layers = [[useless, useful], [last]]
    >>> places_in(assemble(layers), layers)
    {2: Result(index=0), 3: Result(index=1)}
    """
    index = {expression: Result(place) for place, expression in enumerate(graph.expressions)}
    found: dict[int, Result] = {}
    for layer in layers:
        for proposed in layer:
            left, right = (found.get(o.index) if isinstance(o, Result) else o for o in (proposed.left, proposed.right))
            if left is not None and right is not None:
                as_proposed = Expression(proposed.operator, left, right)
                swapped = Expression(proposed.operator, right, left)
                if as_proposed in index:
                    found[proposed.place] = index[as_proposed]
                elif swapped in index:  # a difference whose operands were swapped to make it positive
                    found[proposed.place] = index[swapped]
    return found
