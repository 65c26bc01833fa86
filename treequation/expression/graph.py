"""An equation as a graph of expressions, in which equal sub-expressions are one node.

An :class:`Expression` is what the model predicts and what a pupil calls a step: an operator between two
operands. An operand is a number of the problem, a constant, or the result of an earlier expression.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")


class Operator(Enum):
    """The paper's five operators, and three for division into whole parts.

    The value is the ASCII symbol or word that every notation reads and writes. A model knows the paper's five, and any
    of the others that its training equations use.
    """

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    POWER = "^"
    REMAINDER = "mod"  # what is left over
    ROUND_UP = "ceil"  # division rounded up: how many buses?
    ROUND_DOWN = "floor"  # division rounded down: how many full boxes?

    # Enum's own hash is a Python function; members are singletons, so identity serves and is much faster.
    __hash__ = object.__hash__

    @property
    def commutes(self) -> bool:
        """Whether the operands may be swapped."""
        return self is Operator.ADD or self is Operator.MULTIPLY

    @property
    def divides(self) -> bool:
        """Whether it divides, so that the right operand must not be zero."""
        return self is Operator.DIVIDE or self is Operator.REMAINDER or self.rounds

    @property
    def rounds(self) -> bool:
        """Whether it is a division whose quotient is rounded to a whole number."""
        return self is Operator.ROUND_UP or self is Operator.ROUND_DOWN

    @property
    def sign(self) -> str:
        """The sign as books print it: − × ÷ instead of - * /, and ⌈÷⌉ or ⌊÷⌋ for a rounded division."""
        return _PRINTED_SIGNS.get(self.value, self.value)

    def between(self, left: str, right: str) -> str:
        """An expression as books print it.

        >>> Operator.MULTIPLY.between("3", "12"), Operator.ROUND_UP.between("95", "14")
        ('3 × 12', '⌈95 ÷ 14⌉')
        """
        if self.rounds:
            opening, closing = self.sign.split("÷")
            return f"{opening}{left} ÷ {right}{closing}"
        return f"{left} {self.sign} {right}"


_PRINTED_SIGNS = {"-": "−", "*": "×", "/": "÷", "ceil": "⌈÷⌉", "floor": "⌊÷⌋"}

PAPER_OPERATORS = (Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE, Operator.POWER)


@dataclass(frozen=True, slots=True)
class Number:
    """The ``index``-th number of the problem's text, counted from 0."""

    index: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is not in the text, such as 100 for percentages."""

    value: Fraction

    def __hash__(self) -> int:
        """Faster than Fraction's own hash, which inverts modulo a large prime to agree with other numeric types."""
        return hash((self.value.numerator, self.value.denominator))


@dataclass(frozen=True, slots=True)
class Result:
    """The result of the ``index``-th expression of the graph."""

    index: int


_result = lru_cache(maxsize=256)(Result)  # immutable, and the first few are needed all the time

Operand = Number | Constant | Result


@dataclass(frozen=True, slots=True)
class Expression:
    """One step: ``left operator right``."""

    operator: Operator
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class ExpressionGraph:
    """Expressions in topological order, operands first, and the operand that is the answer.

    A bare number or constant is a graph without expressions. Graphs made by :class:`GraphBuilder` are in
    normal form (no expression twice, none unused, operands first), so ``==`` compares structure.

    >>> builder = GraphBuilder()
    >>> area = builder.add(Operator.MULTIPLY, Number(0), Number(1))
    >>> again = builder.add(Operator.MULTIPLY, Number(0), Number(1))
    >>> area == again
    True
    >>> len(builder.graph(builder.add(Operator.ADD, area, again)))
    2
    """

    expressions: tuple[Expression, ...]
    root: Operand

    def __post_init__(self) -> None:
        for index, expression in enumerate(self.expressions):
            for operand in (expression.left, expression.right):
                if isinstance(operand, Result) and not 0 <= operand.index < index:
                    raise ValueError(f"expression {index} uses result {operand.index}, which does not come before it")
        if isinstance(self.root, Result) and not 0 <= self.root.index < len(self.expressions):
            raise ValueError(f"the root is result {self.root.index} of {len(self.expressions)} expressions")

    def __len__(self) -> int:
        """The number of expressions, the paper's measure of an equation's length."""
        return len(self.expressions)

    @property
    def leaves(self) -> tuple[Number | Constant, ...]:
        """Every number and constant, once each, in order of first use."""
        sides = (side for each in self.expressions for side in (each.left, each.right))
        return tuple(dict.fromkeys(side for side in (*sides, self.root) if not isinstance(side, Result)))

    @property
    def uses(self) -> Counter[int]:
        """How often each result is an operand, by the expression's index."""
        sides = (side for each in self.expressions for side in (each.left, each.right))
        return Counter(side.index for side in sides if isinstance(side, Result))

    @property
    def written(self) -> str:
        """The graph in one line, short and quick to read: its root, then the operator and operands of each expression.

        >>> from treequation.expression.parsing import parse_infix
        >>> parse_infix("n0 + 1/2").written
        'r1 / c1 c2 + n0 r0'
        """
        return _write(self)

    def __reduce__(self) -> tuple[Callable[[str], ExpressionGraph], tuple[str]]:
        """Pickled as it is written, which is many times faster than field by field."""
        return read_written, (self.written,)

    def fold(self, leaf: Callable[[Number | Constant], T], join: Callable[[Expression, T, T], T]) -> T:
        """Computes a value bottom-up: ``leaf`` gives that of a leaf, ``join`` combines those of two operands.

        >>> graph = ExpressionGraph((Expression(Operator.ADD, Number(0), Number(1)),), Result(0))
        >>> graph.fold(lambda leaf: f"n{leaf.index}", lambda step, left, right: left + step.operator.value + right)
        'n0+n1'
        """
        values: list[T] = []

        def of(operand: Operand) -> T:
            return values[operand.index] if isinstance(operand, Result) else leaf(operand)

        for expression in self.expressions:
            values.append(join(expression, of(expression.left), of(expression.right)))
        return of(self.root)

    def replace_leaves(self, replace: Callable[[GraphBuilder, Number | Constant], Operand]) -> ExpressionGraph:
        """The same graph with other leaves; ``replace`` may add expressions through the builder it is given.

        >>> graph = ExpressionGraph((Expression(Operator.ADD, Number(0), Number(1)),), Result(0))
        >>> graph.replace_leaves(lambda builder, leaf: Number(leaf.index + 1)).leaves
        (Number(index=1), Number(index=2))
        """
        builder = GraphBuilder()
        return builder.graph(
            self.fold(
                lambda leaf: replace(builder, leaf), lambda step, left, right: builder.add(step.operator, left, right)
            )
        )


@lru_cache(maxsize=100_000)  # many problems have the same
def _write(graph: ExpressionGraph) -> str:
    steps = ((each.operator.value, _name(each.left), _name(each.right)) for each in graph.expressions)
    return " ".join([_name(graph.root), *(part for step in steps for part in step)])


@lru_cache(maxsize=100_000)
def read_written(written: str) -> ExpressionGraph:
    """The graph of :attr:`ExpressionGraph.written`."""
    root, *steps = written.split(" ")
    triples = zip(steps[::3], steps[1::3], steps[2::3], strict=True)
    return ExpressionGraph(
        tuple(Expression(Operator(operator), _operand(left), _operand(right)) for operator, left, right in triples),
        _operand(root),
    )


def _name(operand: Operand) -> str:
    if isinstance(operand, Constant):
        return f"c{operand.value}"
    return f"{'n' if isinstance(operand, Number) else 'r'}{operand.index}"


@lru_cache(maxsize=10_000)
def _operand(name: str) -> Operand:
    if name.startswith("c"):
        return Constant(Fraction(name[1:]))
    return Number(int(name[1:])) if name.startswith("n") else Result(int(name[1:]))


_Parts = tuple[Operator, Operand, Operand]
"""Operator, left and right of an expression that the finished graph may not need."""


class GraphBuilder:
    """Collects expressions; adding an equal one again returns the existing result."""

    def __init__(self) -> None:
        self._expressions: list[_Parts] = []
        self._index: dict[_Parts, int] = {}

    def __getitem__(self, result: Result) -> Expression:
        return Expression(*self._expressions[result.index])

    def add(self, operator: Operator, left: Operand, right: Operand) -> Result:
        """The result of ``left operator right``."""
        expressions = self._expressions
        parts = (operator, left, right)
        index = self._index.setdefault(parts, len(expressions))  # a single lookup, since hashing takes most of the time
        if index == len(expressions):
            expressions.append(parts)
        return _result(index)

    def graph(self, root: Operand) -> ExpressionGraph:
        """The graph of all that ``root`` depends on, in a pupil's working order: operands first, left first."""
        moved: dict[Operand, Operand] = {}
        ordered: list[Expression] = []
        waiting = [root]  # an explicit stack: equations may be deeper than Python's recursion limit
        while waiting:
            operand = waiting.pop()
            if not isinstance(operand, Result) or operand in moved:
                continue
            operator, left, right = self._expressions[operand.index]
            missing = [side for side in (right, left) if isinstance(side, Result) and side not in moved]
            if missing:
                waiting += [operand, *missing]
            else:
                moved[operand] = _result(len(ordered))
                ordered.append(Expression(operator, moved.get(left, left), moved.get(right, right)))
        return ExpressionGraph(tuple(ordered), moved.get(root, root))
