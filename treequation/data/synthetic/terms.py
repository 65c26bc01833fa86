"""Quantities of a story that remember how they were computed.

A scenario calculates with terms as with plain numbers, ``paid - price * count``, and gets the value, to keep
the story sensible, together with the expression graph, which is the gold equation.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from treequation.expression.graph import Constant, ExpressionGraph, GraphBuilder, Number, Operand, Operator

# Every constant that a generated equation may use: 1 (the whole), 2 to 6 (the average of so many), 4 (sides of a
# square), days, months, hours, minutes and seconds, percent, grams and meters, seconds of an hour, and pi as pupils
# write it.
CONSTANTS = tuple(
    Fraction(c) for c in ("1", "2", "3", "4", "5", "6", "7", "12", "24", "60", "100", "1000", "3600", "3.14")
)


class Term:
    """A quantity: a number of the text (``mark`` stands for it there), a constant, or computed from two.

    >>> price, count = Term(Fraction(3), mark="p"), Term(Fraction(4), mark="c")
    >>> change = 20 - price * count
    >>> change.value
    Fraction(8, 1)
    >>> len(change.graph({"p": 0, "c": 1}))
    2
    """

    __slots__ = ("left", "mark", "operator", "right", "value")

    def __init__(
        self,
        value: Fraction,
        mark: str = "",
        operator: Operator | None = None,
        left: Term | None = None,
        right: Term | None = None,
    ) -> None:
        self.value = value
        self.mark = mark
        self.operator = operator
        self.left = left
        self.right = right

    def __str__(self) -> str:
        if not self.mark:
            raise ValueError("only a number of the text can be written into it, not a computed quantity")
        return self.mark

    def __add__(self, other: Term | int) -> Term:
        other = _term(other)
        return Term(self.value + other.value, "", Operator.ADD, self, other)

    def __sub__(self, other: Term | int) -> Term:
        other = _term(other)
        return Term(self.value - other.value, "", Operator.SUBTRACT, self, other)

    def __mul__(self, other: Term | int | Fraction) -> Term:
        other = _term(other)
        return Term(self.value * other.value, "", Operator.MULTIPLY, self, other)

    def __truediv__(self, other: Term | int) -> Term:
        other = _term(other)
        return Term(self.value / other.value, "", Operator.DIVIDE, self, other)

    def __pow__(self, other: Term) -> Term:
        """A whole power, which keeps the value exact."""
        return Term(self.value ** int(other.value), "", Operator.POWER, self, other)

    def __radd__(self, other: int) -> Term:
        return _term(other) + self

    def __rsub__(self, other: int) -> Term:
        return _term(other) - self

    def __rmul__(self, other: int) -> Term:
        return _term(other) * self

    def __rtruediv__(self, other: int) -> Term:
        return _term(other) / self

    def first(self, index: Mapping[str, int]) -> int:
        """Where the first number of the text stands among those that it was computed from; after all for a constant."""
        if self.left is None or self.right is None:
            return index.get(self.mark, len(index))
        return min(self.left.first(index), self.right.first(index))

    def graph(self, index: Mapping[str, int], *, ordered: bool = False) -> ExpressionGraph:
        """The expression graph, where ``index`` gives each mark's place among the numbers of the text.

        If ``ordered``, operands that commute stand in the order of the text, whatever the order of calculation; a
        constant stays where it is, which may be first, as in 1 + 20 %.
        """
        builder = GraphBuilder()

        def operand(term: Term) -> Operand:
            if term.operator is None:
                return Number(index[term.mark]) if term.mark else Constant(term.value)
            assert term.left is not None
            assert term.right is not None
            first, second = term.left, term.right
            if ordered and term.operator.commutes and second.first(index) < first.first(index) < len(index):
                first, second = second, first
            left = operand(first)
            return builder.add(term.operator, left, operand(second))

        return builder.graph(operand(self))


def _term(value: Term | int | Fraction) -> Term:
    return value if isinstance(value, Term) else Term(Fraction(value))
