"""Turns a solution in steps (``48/2=24``, ``48+24=72``) into one expression graph, if the steps chain."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from treequation.data.binding import LiteralBinder, literal_value
from treequation.data.reading import Code, UnreadableError
from treequation.expression.graph import Constant, ExpressionGraph, GraphBuilder, Number, Operand
from treequation.expression.parsing import parse_infix


def chain(steps: Sequence[tuple[str, Fraction]], binder: LiteralBinder) -> ExpressionGraph:
    """The graph of the last step, with earlier steps in place of their results.

    ``steps`` are left sides with their written results. Each step but the last must be used by a later one; otherwise
    the steps are not one equation, and an :class:`UnreadableError` names the unused ones.

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
    return _joined(graphs, len(binder.numbers))


class _Results:
    """Resolves a step's literals to earlier results and to numbers of the text.

    Until the steps are joined, the result of step i is ``Number(len(numbers) + i)``.
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
        # An unused result takes precedence over a number of the text with the same value; a used one does not.
        unused = [index for index in equal if index in self.unused]
        if unused:
            self.unused.remove(unused[-1])
            return self._step(unused[-1])
        operand = self._binder(literal)
        return self._step(equal[-1]) if operand is None and equal else operand

    def _step(self, index: int) -> Number:
        return Number(len(self._binder.numbers) + index)


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
