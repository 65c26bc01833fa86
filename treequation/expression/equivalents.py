"""Other ways to write the same equation: a + b + c has three first steps, and all of them are right.

A sum or difference within another (or a product or quotient within another) is three terms, each with a sign. Any two
of them may be put together first. From the given equation we take such steps, one after the other, breadth first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from treequation.expression.graph import Expression, ExpressionGraph, GraphBuilder, Operand, Operator, Result

_GROUPS = {
    Operator.ADD: (Operator.ADD, Operator.SUBTRACT),
    Operator.SUBTRACT: (Operator.ADD, Operator.SUBTRACT),
    Operator.MULTIPLY: (Operator.MULTIPLY, Operator.DIVIDE),
    Operator.DIVIDE: (Operator.MULTIPLY, Operator.DIVIDE),
}
"""The operators that re-associate with each: the one that joins terms, and the one that takes the second away."""

_Term = tuple[Operand, bool]  # an operand, and whether it is taken away


def variants(graph: ExpressionGraph, limit: int) -> tuple[ExpressionGraph, ...]:
    """At most ``limit`` equations that equal ``graph`` by re-association, ``graph`` itself first.

    Equations that differ in the order of a sum or product alone count as one.

    >>> from treequation.expression.parsing import parse_infix
    >>> from treequation.expression.printing import to_infix
    >>> [to_infix(variant) for variant in variants(parse_infix("n0-n1-n2"), 4)]
    ['n0-n1-n2', 'n0-(n1+n2)', 'n0-n2-n1']
    """
    if limit <= 1:
        return (graph,)
    names: dict[object, int] = {}
    found = {_name(graph, names): graph}
    waiting = deque([graph])
    while waiting:
        for other in _one_step(waiting.popleft()):
            if len(found) >= limit:
                return tuple(found.values())
            name = _name(other, names)
            if name not in found:
                found[name] = other
                waiting.append(other)
    return tuple(found.values())


def _name(graph: ExpressionGraph, names: dict[object, int]) -> int:
    """A number that is the same for graphs that differ in the order of sums and products alone."""
    known: list[int] = []

    def of(operand: Operand) -> int:
        return known[operand.index] if isinstance(operand, Result) else names.setdefault(operand, len(names))

    for expression in graph.expressions:
        operands = [of(expression.left), of(expression.right)]
        if expression.operator.commutes:
            operands.sort()
        known.append(names.setdefault((expression.operator, *operands), len(names)))
    return of(graph.root)


def _one_step(graph: ExpressionGraph) -> Iterator[ExpressionGraph]:
    """Every equation that regroups one pair of nested expressions."""
    uses = [0] * len(graph)
    for expression in graph.expressions:
        for operand in (expression.left, expression.right):
            if isinstance(operand, Result):
                uses[operand.index] += 1
    for index, outer in enumerate(graph.expressions):
        if outer.operator not in _GROUPS:
            continue
        for operand in {outer.left, outer.right}:
            if not isinstance(operand, Result) or uses[operand.index] > 1:
                continue  # a result that is also used elsewhere must stay
            inner = graph.expressions[operand.index]
            if inner.operator in _GROUPS[outer.operator]:
                yield from _regrouped(graph, index, operand.index)


def _regrouped(graph: ExpressionGraph, outer: int, inner: int) -> Iterator[ExpressionGraph]:
    joins, takes = _GROUPS[graph.expressions[outer].operator]
    terms = _terms(graph.expressions[outer], graph.expressions[inner], inner, takes)
    for last in range(3):
        first, second = (terms[i] for i in range(3) if i != last)
        yield _rebuilt(graph, outer, (first, second, terms[last]), joins, takes, last_leads=last == 0)


def _terms(outer: Expression, inner: Expression, place: int, takes: Operator) -> list[_Term]:
    """The three terms in the order in which they are written."""
    inner_left = outer.left == Result(place)
    away = outer.operator is takes and not inner_left  # whether the inner expression is taken away as a whole
    nested: list[_Term] = [(inner.left, away), (inner.right, away != (inner.operator is takes))]
    if inner_left:
        return [*nested, (outer.right, outer.operator is takes)]
    return [(outer.left, False), *nested]


def _rebuilt(
    graph: ExpressionGraph,
    outer: int,
    terms: tuple[_Term, _Term, _Term],
    joins: Operator,
    takes: Operator,
    last_leads: bool,
) -> ExpressionGraph:
    """The graph with expression ``outer`` made anew: the first two terms together, then the last one with them.

    ``last_leads`` says that the last term stands first in the text of the equation, and so it does in the new one.
    """
    builder = GraphBuilder()
    moved: list[Operand] = []

    def new(operand: Operand) -> Operand:
        return moved[operand.index] if isinstance(operand, Result) else operand

    def join(a: _Term, b: _Term) -> _Term:
        """Two terms as one; it is taken away only where both are."""
        if a[1] == b[1]:
            return builder.add(joins, a[0], b[0]), a[1]
        kept, away = (a, b) if b[1] else (b, a)
        return builder.add(takes, kept[0], away[0]), False

    for index, expression in enumerate(graph.expressions):
        if index == outer:
            first, second, last = ((new(operand), away) for operand, away in terms)
            pair = join(first, second)
            moved.append((join(last, pair) if last_leads else join(pair, last))[0])
        else:
            moved.append(builder.add(expression.operator, new(expression.left), new(expression.right)))
    return builder.graph(new(graph.root))
