"""Decides whether two equations are equivalent, whatever the order and grouping of their steps.

:func:`equal_up_to_algebra` compares two equations at random points modulo a large prime, where arithmetic is
fast and exact: two different rational functions of degree d agree at such a point with probability about d / 2⁶¹. Steps
whose operands are all constants are computed exactly first. No symbolic engine is needed.
"""

from __future__ import annotations

from fractions import Fraction
from hashlib import blake2b
from typing import NamedTuple

from treequation.expression.evaluation import Value, calculate
from treequation.expression.graph import Constant, Expression, ExpressionGraph, Number, Operator

_PRIME = 2**61 - 1
_POINTS = 2
_ATTEMPTS = 8  # where an equation is undefined at a point, another point is tried
_MAX_WHOLE = 4096  # a residue this close to zero stands for a whole number; a random one is so with probability 2⁻⁴⁸
_MAX_DEGREE = 2**32  # degrees near the prime would fool the test: modulo it, n^(2⁶¹) is n²


class _Term(NamedTuple):
    """A step's residue, its value if it depends on no number of the text, and its degree as a rational function."""

    residue: int
    constant: Value | None
    above: int = 0
    below: int = 0


def equal_up_to_algebra(a: ExpressionGraph, b: ExpressionGraph) -> bool:
    """Whether two equations have the same value for all numbers for which both are defined.

    Powers whose exponent is not a small whole number are equal only if their bases and exponents are; so (a^0.5)^2 is
    not known to equal a. Rounded quotients are equal if they are equal before rounding, and the remainder of a by b is
    a − b × ⌊a ÷ b⌋; so ⌈a + 1⌉ is not known to equal ⌈a⌉ + 1. Different equations pass as equal with probability below
    2⁻⁵⁰.

    >>> from treequation.expression.parsing import parse_infix
    >>> equal_up_to_algebra(parse_infix("2*(n0+n1)"), parse_infix("n1*2 + n0*2"))
    True
    >>> equal_up_to_algebra(parse_infix("n0-(n1-n2)"), parse_infix("n0-n1-n2"))
    False
    """
    if a == b:
        return True
    agreed = 0
    for attempt in range(_ATTEMPTS):
        left, right = _value_modulo_prime(a, attempt), _value_modulo_prime(b, attempt)
        if left is None or right is None:
            continue
        if left != right:
            return False
        agreed += 1
        if agreed == _POINTS:
            return True
    return False


def _value_modulo_prime(graph: ExpressionGraph, attempt: int) -> int | None:
    """The graph's value at the ``attempt``-th random point; None if it divides by zero there or has a high degree."""

    def known(leaf: Number | Constant) -> _Term:
        if isinstance(leaf, Number):
            return _Term(_random(attempt, leaf.index), None, above=1)
        return _Term(_residue(leaf.value), Value(leaf.value))

    try:
        return graph.fold(known, _join).residue
    except ArithmeticError:
        return None


def _join(expression: Expression, left: _Term, right: _Term) -> _Term:
    operator, constant = expression.operator, None
    if left.constant is not None and right.constant is not None:
        constant = calculate(operator, left.constant, right.constant)
        if isinstance(constant.number, Fraction):
            return _Term(_residue(constant.number), constant)
    above, below = _degree(operator, left, right) if constant is None else (0, 0)
    if max(above, below) > _MAX_DEGREE:
        raise OverflowError
    exponent = right.constant.number if right.constant is not None else None
    return _Term(_step(operator, left.residue, right.residue, exponent), constant, above, below)


def _degree(operator: Operator, left: _Term, right: _Term) -> tuple[int, int]:
    if operator is Operator.ADD or operator is Operator.SUBTRACT:
        return max(left.above + right.below, right.above + left.below), left.below + right.below
    if operator is Operator.MULTIPLY:
        return left.above + right.above, left.below + right.below
    if operator is Operator.DIVIDE:
        return left.above + right.below, left.below + right.above
    if operator is Operator.REMAINDER:
        return max(left.above, left.below + right.above + 1), left.below + right.below
    exponent = None if operator.rounds else _whole(right.residue)
    if exponent is None:
        return 1, 0  # as good as a number of its own
    above, below = (left.above, left.below) if exponent >= 0 else (left.below, left.above)
    return abs(exponent) * above, abs(exponent) * below


def _step(operator: Operator, left: int, right: int, exponent: Fraction | float | None) -> int:
    if operator is Operator.ADD:
        return (left + right) % _PRIME
    if operator is Operator.SUBTRACT:
        return (left - right) % _PRIME
    if operator is Operator.MULTIPLY:
        return left * right % _PRIME
    if operator is Operator.DIVIDE:
        return left * _inverse(right) % _PRIME
    if operator.divides:
        quotient = left * _inverse(right) % _PRIME
        if operator is Operator.ROUND_UP:  # ⌈q⌉ = −⌊−q⌋
            return -_rounded_down(-quotient % _PRIME) % _PRIME
        down = _rounded_down(quotient)
        return down if operator is Operator.ROUND_DOWN else (left - right * down) % _PRIME
    whole = _whole(right)
    if left == 0:
        if whole == 0 or (exponent is not None and exponent < 0):
            raise ZeroDivisionError  # 0⁰ has no agreed value
        if whole is None or whole > 0:
            return 0
    if whole is not None:
        return pow(left if whole >= 0 else _inverse(left), abs(whole), _PRIME)
    return _random(left, right)  # equal for equal bases and exponents, and for no others


def _whole(residue: int) -> int | None:
    """The small whole number that a residue stands for."""
    if residue <= _MAX_WHOLE:
        return residue
    return residue - _PRIME if residue >= _PRIME - _MAX_WHOLE else None


def _rounded_down(quotient: int) -> int:
    """Equal for equal quotients and for no others; a whole number stays what it is."""
    return _random(quotient) if _whole(quotient) is None else quotient


def _residue(value: Fraction) -> int:
    return value.numerator * _inverse(value.denominator % _PRIME) % _PRIME


def _inverse(value: int) -> int:
    if value == 0:
        raise ZeroDivisionError
    return pow(value, -1, _PRIME)


def _random(*seed: int) -> int:
    """A number below the prime that looks random but is the same in every process and on every machine."""
    digest = blake2b(repr(seed).encode(), digest_size=16).digest()
    return int.from_bytes(digest, "big") % _PRIME
