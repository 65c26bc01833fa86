"""Rewrites a problem from one number format to another, keeping the value of its equation.

"5 %" is the number 5 in one data set and 1/20 in another; "2/3" is one number in some and two in others. A model that
learns from both needs one format, which both the numbers and the equation's leaves must follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from treequation.expression.graph import Constant, ExpressionGraph, GraphBuilder, Number, Operand, Operator, Result
from treequation.text.alignment import overlaps
from treequation.text.numbers import find_numbers
from treequation.text.problem import FoundNumber, NumberFormat, Problem


class ConversionError(ValueError):
    """An equation uses a part of what the other format reads as one number."""


def convert(problem: Problem, format: NumberFormat) -> Problem:
    """The same problem in another number format; the value of the equation stays the same.

    A number that the new format does not find becomes a constant. A constant becomes a number if exactly one of the
    numbers that only the new format finds has its value.

    >>> text = "What is 20 % of 50?"
    >>> whole = NumberFormat(percent="whole")
    >>> builder = GraphBuilder()
    >>> part = builder.add(Operator.DIVIDE, Number(0), Constant(Fraction(100)))
    >>> graph = builder.graph(builder.add(Operator.MULTIPLY, part, Number(1)))
    >>> problem = Problem("1", text, find_numbers(text, whole), format=whole, graph=graph)
    >>> convert(problem, NumberFormat(percent="fraction")).graph.expressions
    (Expression(operator=<Operator.MULTIPLY: '*'>, left=Number(index=0), right=Number(index=1)),)
    """
    if format == problem.format:
        return problem
    numbers = find_numbers(problem.text, format)
    graph = problem.graph
    if graph is not None:
        graph = _Conversion(problem.numbers, numbers).rewrite(graph)
    return replace(problem, numbers=numbers, format=format, graph=graph)


@dataclass(frozen=True, slots=True)
class _Scaled:
    """``operand × scale``. The factor 100 of a percentage travels outwards until it meets its inverse."""

    operand: Operand
    scale: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of the new number ``index``, which was two or three numbers in the old format.

    ``of`` is the amount that the piece is taken of: 60 in 60 × 2, on the way to 60 × 2 ÷ 3.
    """

    index: int
    role: str
    of: Operand | None = None


_Rewritten = _Scaled | _Part
_ONE, _HUNDRED = Fraction(1), Fraction(100)
_COMPOUND = ("fraction", "percent")  # the kinds of number that another format may split

# How equations put the pieces of 3(1/2) together: 3 + 1/2, or (3 × 2 + 1) / 2.
_PARTS = {
    (Operator.ADD, "whole", "fraction"): "number",
    (Operator.ADD, "fraction", "whole"): "number",
    (Operator.MULTIPLY, "whole", "denominator"): "wholes",
    (Operator.MULTIPLY, "denominator", "whole"): "wholes",
    (Operator.ADD, "wholes", "numerator"): "improper",
    (Operator.ADD, "numerator", "wholes"): "improper",
    (Operator.DIVIDE, "improper", "denominator"): "number",
}


class _Conversion:
    def __init__(self, old: Sequence[FoundNumber], new: Sequence[FoundNumber]) -> None:
        self._old, self._new = old, new
        self._builder = GraphBuilder()
        self._new_of: list[list[int]] = [[] for _ in old]
        self._old_of: list[list[int]] = [[] for _ in new]
        for i, j in overlaps(old, new):
            self._new_of[i].append(j)
            self._old_of[j].append(i)

    def rewrite(self, graph: ExpressionGraph) -> ExpressionGraph:
        results: list[_Rewritten] = []
        for expression in graph.expressions:
            if expression.operator is Operator.DIVIDE:
                fraction = self._written_fraction(expression.left, expression.right)
                if fraction is not None:
                    results.append(fraction)
                    continue
            left, right = (
                results[operand.index] if isinstance(operand, Result) else self._leaf(operand)
                for operand in (expression.left, expression.right)
            )
            results.append(self._combine(expression.operator, left, right))
        root = graph.root
        return self._builder.graph(self._plain(results[root.index] if isinstance(root, Result) else self._leaf(root)))

    def _written_fraction(self, left: Operand, right: Operand) -> _Rewritten | None:
        """The fraction that the text writes as left/right, if both operands have the values of its pieces.

        Values are compared, not positions, since data sets refer to equal numbers by the first of them: in "1/4 and
        1/3", the second fraction may be written as the first number divided by the fourth.
        """
        value = (self._value(left), self._value(right))
        for operand in (right, left):
            place = self._fraction_at(operand)
            if place is None:
                continue
            pieces = [self._old[i] for i in self._old_of[place]]
            if "denominator" in _roles(pieces) and (pieces[-2].value, pieces[-1].value) == value:
                return _Part(place, "fraction") if len(pieces) > 2 else self._assembled(place)
        return None

    def _fraction_at(self, operand: Operand) -> int | None:
        """The new number that the old number is a piece of."""
        if isinstance(operand, Number):
            for place in self._new_of[operand.index]:
                if len(self._old_of[place]) > 1 and self._new[place].kind in _COMPOUND:
                    return place
        return None

    def _assembled(self, place: int) -> _Scaled:
        """The new number in place of all its pieces; those of "2 1/2 %" come to 100 times its value."""
        value = self._new[place].value
        return _Scaled(
            Number(place), _of_pieces([self._old[i] for i in self._old_of[place]]) / value if value else _ONE
        )

    def _is_unit(self, place: int) -> bool:
        """Whether the text writes the new number with numerator 1; 2/8 equals a quarter, but is not written so."""
        return self._old[self._old_of[place][-2]].value == 1

    def _value(self, operand: Operand) -> Fraction | None:
        if isinstance(operand, Number):
            return self._old[operand.index].value
        return operand.value if isinstance(operand, Constant) else None

    def _leaf(self, leaf: Number | Constant) -> _Rewritten:
        if isinstance(leaf, Constant):
            return _Scaled(self._constant(leaf))
        number, places = self._old[leaf.index], self._new_of[leaf.index]
        if len(places) > 1 and number.kind in _COMPOUND:
            value = _of_pieces([self._new[place] for place in places])
            return _Scaled(self._divided(places), number.value / value if value else _ONE)
        fraction = self._fraction_at(leaf)
        if fraction is not None:
            pieces = self._old_of[fraction]
            return _Part(fraction, _roles([self._old[i] for i in pieces])[pieces.index(leaf.index)])
        for place in places:
            for scale in (_ONE, _HUNDRED, 1 / _HUNDRED):
                if self._new[place].value * scale == number.value:
                    return _Scaled(Number(place), scale)
        return _Scaled(Constant(number.value))

    def _constant(self, constant: Constant) -> Number | Constant:
        places = [
            place
            for place, number in enumerate(self._new)
            if number.value == constant.value and not self._old_of[place]
        ]
        return Number(places[0]) if len(places) == 1 else constant

    def _divided(self, places: Sequence[int]) -> Operand:
        pieces = dict(zip(_roles([self._new[place] for place in places]), map(Number, places), strict=True))
        fraction: Operand = (
            pieces["fraction"]
            if "fraction" in pieces
            else self._builder.add(Operator.DIVIDE, pieces["numerator"], pieces["denominator"])
        )
        return self._builder.add(Operator.ADD, pieces["whole"], fraction) if "whole" in pieces else fraction

    def _combine(self, operator: Operator, left: _Rewritten, right: _Rewritten) -> _Rewritten:
        if isinstance(left, _Part) and isinstance(right, _Part) and left.index == right.index:
            role = _PARTS.get((operator, left.role, right.role))
            if role == "number":
                return self._assembled(left.index)
            if role is not None:
                return _Part(left.index, role)
        taken = self._taken(operator, left, right)
        if taken is not None:
            return taken
        left, right = self._whole(left), self._whole(right)
        if operator is Operator.MULTIPLY:
            return self._multiply(left, right)
        if operator is Operator.DIVIDE:
            return self._divide(left, right)
        if operator is Operator.ADD or operator is Operator.SUBTRACT or operator is Operator.REMAINDER:
            left, right = _same_scale(left, right), _same_scale(right, left)
            if left.scale == right.scale:
                return _Scaled(self._builder.add(operator, left.operand, right.operand), left.scale)
        return _Scaled(self._builder.add(operator, self._plain(left), self._plain(right)))

    def _taken(self, operator: Operator, left: _Rewritten, right: _Rewritten) -> _Rewritten | None:
        """A fraction of an amount, written in two steps or as a division: x × 2 ÷ 3, x ÷ 3 × 2, x ÷ 4 for a quarter."""
        if operator is Operator.MULTIPLY and isinstance(left, _Part) and left.role in ("numerator", "denominator"):
            left, right = right, left
        if not isinstance(right, _Part) or len(self._old_of[right.index]) != 2:
            return None
        unit = self._is_unit(right.index)
        step = (operator, right.role)
        if isinstance(left, _Part):
            whole_way = {(Operator.MULTIPLY, "numerator"): "share", (Operator.DIVIDE, "denominator"): "multiple"}
            if left.of is None or left.index != right.index or left.role != whole_way.get(step):
                return None
            return self._multiply(_Scaled(left.of), self._assembled(right.index))
        if step == (Operator.MULTIPLY, "numerator") and not unit:
            return _Part(right.index, "multiple", self._plain(left))
        if step == (Operator.DIVIDE, "denominator") and not unit:
            return _Part(right.index, "share", self._plain(left))
        if step == (Operator.DIVIDE, "denominator"):
            return self._multiply(left, self._assembled(right.index))
        if step == (Operator.MULTIPLY, "denominator") and unit:
            return self._divide(left, self._assembled(right.index))
        return None

    def _multiply(self, left: _Scaled, right: _Scaled) -> _Scaled:
        for factor, other in ((left, right), (right, left)):
            if factor.operand == Constant(1 / other.scale) and other.scale != 1:
                return _Scaled(other.operand, factor.scale)
        product = self._builder.add(Operator.MULTIPLY, left.operand, right.operand)
        return _Scaled(product, left.scale * right.scale)

    def _divide(self, left: _Scaled, right: _Scaled) -> _Scaled:
        if left.scale != 1 and right.operand == Constant(left.scale):
            return _Scaled(left.operand, 1 / right.scale)
        left = _same_scale(left, right)
        quotient = self._builder.add(Operator.DIVIDE, left.operand, right.operand)
        return _Scaled(quotient, left.scale / right.scale)

    def _whole(self, rewritten: _Rewritten) -> _Scaled:
        if isinstance(rewritten, _Scaled):
            return rewritten
        number = self._new[rewritten.index]
        if rewritten.role in ("numerator", "denominator") and self._is_unit(rewritten.index):
            one = _Scaled(Constant(_ONE))  # the numerator of 1/4 may as well be a constant
            if rewritten.role == "numerator":
                return one
            if len(self._old_of[rewritten.index]) == 2:
                return self._divide(one, self._assembled(rewritten.index))  # 4 is how many quarters make one
        raise ConversionError(
            f"the equation uses the {rewritten.role} of {number.value} (number {rewritten.index}, characters "
            f"{number.start} to {number.end}) by itself; keep the fraction as two numbers, or leave this problem out"
        )

    def _plain(self, rewritten: _Rewritten) -> Operand:
        scaled = self._whole(rewritten)
        if scaled.scale == 1:
            return scaled.operand
        if scaled.scale > 1:
            return self._builder.add(Operator.MULTIPLY, scaled.operand, Constant(scaled.scale))
        return self._builder.add(Operator.DIVIDE, scaled.operand, Constant(1 / scaled.scale))


def _same_scale(one: _Scaled, other: _Scaled) -> _Scaled:
    """A whole, 100 or 1, in the other operand's scale: 100 − 20 is 100 × (1 − 20 %), and vice versa."""
    for whole, scale in ((_HUNDRED, _HUNDRED), (Fraction(1), 1 / _HUNDRED)):
        if one == _Scaled(Constant(whole)) and other.scale == scale:
            return _Scaled(Constant(whole / scale), scale)
    return one


def _roles(pieces: Sequence[FoundNumber]) -> tuple[str, ...]:
    """The role of each piece of a written fraction. The ½ of 3½ is one character, and so one piece."""
    if pieces[-1].value.denominator > 1:
        return ("whole", "fraction")
    return ("whole", "numerator", "denominator")[-len(pieces) :]


def _of_pieces(pieces: Sequence[FoundNumber]) -> Fraction:
    *others, last = (piece.value for piece in pieces)
    if last.denominator > 1:
        return sum(others, last)
    *whole, numerator = others
    return sum(whole, numerator / last)
