"""Turns a solution in steps (``48/2=24``, ``48+24=72``) into one expression graph, where the steps chain."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from treequation.data.binding import LiteralBinder, literal_value
from treequation.data.reading import Code, UnreadableError
from treequation.expression.graph import Constant, ExpressionGraph, GraphBuilder, Number, Operand
from treequation.expression.parsing import parse_infix


def chain(steps: Sequence[tuple[str, Fraction]], binder: LiteralBinder) -> ExpressionGraph:
    """The graph of the last step, in which earlier steps stand where their results are used.

    ``steps`` are left sides with their results as written. Each step but the last must be used by a later one;
    otherwise they are not one equation, and the :class:`UnreadableError` says which are left over.

    >>> from treequation.text.problem import NumberFormat
    >>> binder = LiteralBinder("Ann sold 48 clips and 2 boxes of 6 clips.", NumberFormat())
    >>> steps = [("2*6", Fraction(12)), ("48+12", Fraction(60))]
    >>> graph = chain(steps, binder)
    >>> len(graph), graph.leaves
    (2, (Number(index=1), Number(index=2), Number(index=0)))
    """
    results = _Results(binder)
    graphs = []
    for left_side, result in steps:
        graphs.append(parse_infix(left_side, results))
        results.append(result)
    left_over = [steps[index][0] for index in results.unused if index != len(steps) - 1]
    if left_over:
        message = f"the steps do not chain: nothing uses the result of {', '.join(left_over)}"
        raise UnreadableError(Code.NO_EQUATION, message)
    return _joined(graphs, len(binder.found))


class _Results:
    """Resolves a step's literals to earlier results and to numbers of the text.

    While the steps are read apart, the result of step i is written as ``Number(len(found) + i)``.
    """

    def __init__(self, binder: LiteralBinder) -> None:
        self._binder = binder
        self._results: list[Fraction] = []
        self.unused: set[int] = set()

    def append(self, result: Fraction) -> None:
        self.unused.add(len(self._results))
        self._results.append(result)

    def __call__(self, literal: str) -> Operand | None:
        value = literal_value(literal)
        equal = [index for index, result in enumerate(self._results) if result == value]
        # A result that still waits for its use comes before a number of the text that happens to equal it;
        # one that has been used already comes after.
        waiting = [index for index in equal if index in self.unused]
        if waiting:
            self.unused.remove(waiting[-1])
            return self._step(waiting[-1])
        operand = self._binder(literal)
        return self._step(equal[-1]) if operand is None and equal else operand

    def _step(self, index: int) -> Number:
        return Number(len(self._binder.found) + index)


def _joined(graphs: Sequence[ExpressionGraph], number_count: int) -> ExpressionGraph:
    """The last graph, with ``graphs[i]`` in place of each ``Number(number_count + i)``."""
    builder = GraphBuilder()
    roots: list[Operand] = []

    def moved(leaf: Number | Constant) -> Operand:
        if isinstance(leaf, Number) and leaf.index >= number_count:
            return roots[leaf.index - number_count]
        return leaf

    for graph in graphs:
        roots.append(graph.fold(moved, lambda step, left, right: builder.add(step.operator, left, right)))
    return builder.graph(roots[-1])
